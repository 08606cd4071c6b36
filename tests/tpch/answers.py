#!/usr/bin/env python3
"""Writes answers/q*.tsv: what DuckDB and SQLite both say to queries/q*.sql over the tables of tpch_generate.

    answers.py FOLDER        FOLDER: the tables, as `tpch_queries generate FOLDER SCALE` wrote them

Needs the Python package duckdb. A number on which the two differ by more than a part in 10^9, or any other
difference, is an error: nothing is written then.
"""
import glob
import os
import re
import sqlite3
import sys

import duckdb

HERE = os.path.dirname(os.path.abspath(__file__))
ORDER = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"]


def for_sqlite(sql):
    sql = re.sub(r"DATE '", "'", sql)
    sql = re.sub(r"extract\(YEAR FROM (\w+)\)", r"CAST(strftime('%Y', \1) AS INTEGER)", sql)
    return re.sub(r"/ 7\.0", "/ 7.0", sql)


def text(value):
    return "NULL" if value is None else repr(value) if isinstance(value, float) else str(value)


def same(a, b):
    try:
        x, y = float(a), float(b)
    except (TypeError, ValueError):
        return text(a) == text(b)
    return abs(x - y) <= 1e-9 * max(1.0, abs(x))


def main(folder):
    duck, lite = duckdb.connect(), sqlite3.connect(":memory:")
    for table in ORDER:
        path = os.path.join(folder, table, "part.csv")
        duck.execute(f"CREATE TABLE {table} AS SELECT * FROM read_csv('{path}', types={{{decimals(path)}}})")
        columns = [c[0] for c in duck.execute(f"SELECT * FROM {table} LIMIT 0").description]
        lite.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        rows = duck.execute(f"SELECT * FROM {table}").fetchall()
        lite.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
                         [[v if isinstance(v, (int, str)) else float(v) if is_decimal(v) else str(v) for v in r]
                          for r in rows])
    answers = {}
    for path in sorted(glob.glob(os.path.join(HERE, "queries", "*.sql"))):
        name = os.path.basename(path)[:-4]
        with open(path) as file:
            sql = file.read()
        a, b = duck.execute(sql).fetchall(), lite.execute(for_sqlite(sql)).fetchall()
        if len(a) != len(b) or not all(same(x, y) for r, s in zip(a, b) for x, y in zip(r, s)):
            sys.exit(f"{name}: DuckDB and SQLite differ\n{a[:3]}\n{b[:3]}")
        answers[name] = "".join("\t".join(text(v) for v in row) + "\n" for row in a)
        print(name, len(a), "rows")
    os.makedirs(os.path.join(HERE, "answers"), exist_ok=True)
    for name, answer in answers.items():
        with open(os.path.join(HERE, "answers", name + ".tsv"), "w") as file:
            file.write(answer)


def is_decimal(value):
    return type(value).__name__ == "Decimal"


def decimals(path):
    money = {"acctbal", "retailprice", "supplycost", "totalprice", "quantity", "extendedprice", "discount", "tax"}
    with open(path) as file:
        names = file.readline().strip().split(",")
    return ", ".join(f"'{n}': 'DECIMAL(12,2)'" for n in names if n.split("_", 1)[1] in money)


if __name__ == "__main__":
    main(sys.argv[1])
