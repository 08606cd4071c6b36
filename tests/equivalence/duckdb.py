#!/usr/bin/env python3
"""Random queries over types that SQLite lacks, where DuckDB and Spark agree, answered by DuckDB, a SELECT of leat and a
standing query of leat.

    duckdb.py LEAT [--seed N] [--count N] [-v]

Decimals, dates, timestamps, booleans, arrays: expressions, joins, groups. After each of a few batches the view and the
SELECT over all rows so far give DuckDB's rows, compared as texts. Every query of seed S is made from S alone; without
--seed one is drawn. Exit: 0 equal, 1 different, 77 where python has no DuckDB.
"""

import argparse
import collections
import datetime
import os
import random
import secrets
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
from leat_answers import leat_answers

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]  # this file has the module's name
try:
    import duckdb
except ImportError:
    sys.exit(77)

BATCHES = 3
ROWS_MAX = 12
QUERIES_EACH = 25  # of one program
COLUMNS = (("k", "INT"), ("d", "DECIMAL(8, 2)"), ("day", "DATE"), ("tm", "TIMESTAMP_NTZ"), ("r", "ARRAY<INT>"))
DUCK_TYPES = {"TIMESTAMP_NTZ": "TIMESTAMP", "ARRAY<INT>": "INTEGER[]"}

# What makes a value of a type out of others: Spark's text and DuckDB's. {d} is an expression of that type, {i} a small
# integer, {u} a unit; the same in both texts.
FORMS = {
    "INT": [("size({r})", "CAST(len({r}) AS INTEGER)"), ("coalesce({n}, {i})",) * 2, ("({n} + {i})",) * 2,
            ("year({day})", "CAST(year({day}) AS INTEGER)"), ("month({day})", "CAST(month({day}) AS INTEGER)"),
            ("day({day})", "CAST(day({day}) AS INTEGER)"), ("dayofyear({day})", "CAST(dayofyear({day}) AS INTEGER)"),
            ("quarter({day})", "CAST(quarter({day}) AS INTEGER)"), ("weekofyear({day})", "CAST(weekofyear({day}) AS INTEGER)"),
            ("datediff({day}, {day2})", "CAST({day} - {day2} AS INTEGER)"), ("hour({at})", "CAST(hour({at}) AS INTEGER)"),
            ("minute({at})", "CAST(minute({at}) AS INTEGER)"), ("array_max({r})", "list_max({r})"),
            ("array_min({r})", "list_min({r})"), ("try_element_at({r}, {p})", "{r}[{p}]"),
            ("size(array_distinct({r}))", "CAST(len(list_distinct({r})) AS INTEGER)"),
            ("CASE WHEN {b} THEN {n} ELSE {i} END",) * 2],
    "DECIMAL(8, 2)": [("CAST({d} + {d2} AS DECIMAL(8, 2))",) * 2, ("CAST({d} - 1.25 AS DECIMAL(8, 2))",) * 2,
                      ("CAST({d} * 0.5 AS DECIMAL(8, 2))",) * 2, ("abs({d})",) * 2, ("(-{d})",) * 2,
                      ("CAST({n} AS DECIMAL(8, 2))",) * 2, ("coalesce({d}, CAST(0.01 AS DECIMAL(8, 2)))",) * 2,
                      ("CAST(CAST({d} AS DECIMAL(8, 1)) AS DECIMAL(8, 2))",) * 2, ("greatest({d}, {d2})",) * 2],
    "DATE": [("date_add({day}, {i})", "({day} + {i})"), ("date_sub({day}, {i})", "({day} - {i})"),
             ("CAST({at} AS DATE)",) * 2, ("last_day({day})",) * 2, ("add_months({day}, {i})", "CAST({day} + to_months({i}) AS DATE)"),
             ("trunc({day}, 'MM')", "CAST(date_trunc('month', {day}) AS DATE)"),
             ("trunc({day}, 'YEAR')", "CAST(date_trunc('year', {day}) AS DATE)"), ("coalesce({day}, DATE '2024-02-29')",) * 2],
    "TIMESTAMP_NTZ": [("({at} + INTERVAL '5' HOUR)", "({at} + INTERVAL 5 HOUR)"), ("({at} - INTERVAL '90' MINUTE)", "({at} - INTERVAL 90 MINUTE)"),
                      ("CAST({day} AS TIMESTAMP_NTZ)", "CAST({day} AS TIMESTAMP)"),
                      ("CAST(date_trunc('{u}', {at}) AS TIMESTAMP_NTZ)", "date_trunc('{u}', {at})"),
                      ("coalesce({at}, TIMESTAMP_NTZ '1969-12-31 23:59:59.5')", "coalesce({at}, TIMESTAMP '1969-12-31 23:59:59.5')")],
    "BOOLEAN": [("({d} > {d2})",) * 2, ("({day} <= {day2})",) * 2, ("({at} < {at2})",) * 2, ("({n} = {i})",) * 2,
                ("({d} BETWEEN 1 AND {i})",) * 2, ("array_contains({r}, {i})", "list_contains({r}, {i})"),
                ("({day} IS NULL)",) * 2, ("({b} AND {b2})",) * 2, ("({b} OR {b2})",) * 2, ("(NOT {b})",) * 2,
                ("({at} IS DISTINCT FROM {at2})",) * 2, ("exists({r}, x -> x > {i})", "(len(list_filter({r}, lambda x: x > {i})) > 0)")],
    "ARRAY<INT>": [("sort_array({r})", "list_sort({r})"), ("slice({r}, 1, {p})", "{r}[1:{p}]"),
                   ("filter({r}, x -> x > {i})", "list_filter({r}, lambda x: x > {i})"),
                   ("transform({r}, x -> x + {i})", "list_transform({r}, lambda x: x + {i})"),
                   ("reverse({r})", "list_reverse({r})")],
}
NAMES = {"n": "INT", "d": "DECIMAL(8, 2)", "day": "DATE", "at": "TIMESTAMP_NTZ", "b": "BOOLEAN", "r": "ARRAY<INT>"}
AGGREGATES = {"INT": ("sum", "min", "max", "count"), "DECIMAL(8, 2)": ("sum", "min", "max", "count"), "DATE": ("min", "max", "count"),
              "TIMESTAMP_NTZ": ("min", "max", "count"), "BOOLEAN": ("bool_and", "bool_or", "count")}


class Generator:
    """Expressions and queries are pairs of texts: Spark's and DuckDB's."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def pick(self, of):
        return of[self.random.randrange(len(of))]

    def leaf(self, tables, of):
        if of == "BOOLEAN":
            return self.pick((("(x.k > 1)",) * 2, ("(x.d < 5)",) * 2, ("(x.day > DATE '2024-06-01')",) * 2))
        name = next(name for name, its in COLUMNS if its == of)
        return ("%s.%s" % (self.pick(tables), name),) * 2

    def expression(self, tables, of, depth=2):
        if depth == 0 or self.one_in(4):
            return self.leaf(tables, of)
        form = self.pick(FORMS[of])
        parts = {}
        for name, its in NAMES.items():
            for key in (name, name + "2"):
                parts[key] = self.expression(tables, its, depth - 1) if "{%s}" % key in form[0] else ("", "")
        small, place, unit = str(self.random.randint(-3, 9)), str(self.random.randint(1, 4)), self.pick(("hour", "day", "month", "year"))
        return tuple(text.format(i=small, p=place, u=unit, **{key: part[side] for key, part in parts.items()})
                     for side, text in enumerate(form))

    def query(self):
        tables, is_distinct = ("x",), self.one_in(5)
        source = ("$a AS x",) * 2
        if self.one_in(2):
            tables = ("x", "y")
            join = self.pick(("JOIN", "LEFT JOIN"))
            condition = self.pick((("x.k = y.k",) * 2, ("x.day = y.day",) * 2, ("x.d = y.d AND x.k <= y.k",) * 2))
            source = tuple("$a AS x %s $b AS y ON %s" % (join, text) for text in condition)
        where = self.expression(tables, "BOOLEAN") if self.one_in(2) else None
        types = [self.pick(list(AGGREGATES)) for _ in range(self.random.randint(1, 4))]
        keys = self.random.randint(0, len(types)) if self.one_in(2) else len(types)
        items = []
        for i, of in enumerate(types):
            item = self.expression(tables, of)
            if i >= keys:
                name = self.pick(AGGREGATES[of])
                item = tuple("%s(%s)" % (name, text) for text in item)
            items.append(item)
        if keys == len(types) and self.one_in(3):  # an array, as a text that both print alike
            item = self.expression(tables, "ARRAY<INT>")
            items.append(("array_join(transform(%s, x -> CAST(x AS STRING)), ',')" % item[0],
                          "array_to_string(list_transform(%s, lambda x: CAST(x AS VARCHAR)), ',')" % item[1]))
        texts = []
        for side, to in enumerate(("STRING", "VARCHAR")):
            text = "SELECT %s FROM %s" % (", ".join("CAST(%s AS %s) AS c%d" % (item[side], to, i) for i, item in enumerate(items)), source[side])
            if where:
                text += " WHERE " + where[side]
            if 0 < keys < len(types):
                text += " GROUP BY " + ", ".join(items[i][side] for i in range(keys))
            elif is_distinct and keys == len(types):
                text = text.replace("SELECT ", "SELECT DISTINCT ", 1)
            texts.append(text)
        return tuple(texts)

    def row(self):
        days = datetime.date(2024, 1, 31) + datetime.timedelta(days=self.random.choice((-400, -1, 0, 1, 29, 30, 150, 335)))
        at = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=self.random.choice((-5400, 0, 59, 3600, 86399, 1700000000)),
                                                                microseconds=self.random.choice((0, 500000, 1)))
        array = "array(%s)" % ", ".join(str(self.random.randint(-2, 9)) for _ in range(self.random.randint(1, 4)))
        values = (str(self.random.randint(1, 3)), "%.2f" % (self.random.randint(-1500, 1500) / 100), "DATE '%s'" % days,
                  "TIMESTAMP_NTZ '%s'" % at, array)
        return tuple("NULL" if self.one_in(6) else value for value in values)


def rows_text(rows, is_duck):
    text = ", ".join("(%s)" % ", ".join(row) for row in rows)
    return text.replace("TIMESTAMP_NTZ", "TIMESTAMP").replace("array(", "list_value(") if is_duck else text


def batches_of(seed):
    make = Generator("rows %d" % seed)
    return [{table: [make.row() for _ in range(make.random.randrange(ROWS_MAX))] for table in "ab"} for _ in range(BATCHES)]


def duck_answers(queries, batches):
    database = duckdb.connect(":memory:")
    for table in "ab":
        database.execute("CREATE TABLE %s_rows (%s)" % (table, ", ".join('%s %s' % (name, DUCK_TYPES.get(of, of)) for name, of in COLUMNS)))
    answers = []
    for batch in batches:
        for table, rows in batch.items():
            if rows:
                database.execute("INSERT INTO %s_rows VALUES %s" % (table, rows_text(rows, True)))
        for query in queries:
            text = query[1].replace("$a", "a_rows").replace("$b", "b_rows")
            answers.append(collections.Counter(map(tuple, database.execute(text).fetchall())))
    database.close()
    return answers


def check(program, first, count, is_verbose):
    """How many queries of the seeds first .. first + count - 1 differ; they share the rows of seed `first`."""
    queries = [Generator(seed).query() for seed in range(first, first + count)]
    batches = batches_of(first)
    wanted = duck_answers(queries, batches)
    texts = [{table: rows_text(rows, False) for table, rows in batch.items()} for batch in batches]
    given, said = leat_answers(program, COLUMNS, [query[0] for query in queries], texts)
    different = set()
    for at, rows in enumerate(wanted):
        batch, number = divmod(at, count)
        for way, answer in zip(("view", "SELECT"), given[2 * at:2 * at + 2]):
            if answer != rows and number not in different:
                different.add(number)
                print("seed %d of rows %d, batch %d, %s differs: %s\n  DuckDB: %s" % (first + number, first, batch, way, *queries[number]))
                print("  only DuckDB: %s\n  only leat:   %s" % (list((rows - answer).elements())[:6], list((answer - rows).elements())[:6]))
                print("  again: duckdb.py %s --seed %d --count %d" % (program, first, count))
    if is_verbose:
        for number, query in enumerate(queries):
            print("%d: %s" % (first + number, query[0]))
    if said:
        print("seeds %d..: %s" % (first, said[:2000]))
        different.add(-1)
    return len(different)


def main():
    parser = argparse.ArgumentParser(prog="duckdb.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("leat")
    parser.add_argument("--seed", type=int, help="default: drawn anew")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("-v", dest="is_verbose", action="store_true")
    options = parser.parse_args()
    first = options.seed if options.seed is not None else secrets.randbits(32)
    print("seeds %d to %d" % (first, first + options.count - 1), flush=True)
    different = 0
    for start in range(0, options.count, QUERIES_EACH):
        different += check(os.path.abspath(options.leat), first + start, min(QUERIES_EACH, options.count - start), options.is_verbose)
    print("%d queries, %d differ" % (options.count, different))
    sys.exit(different > 0)


main()
