#!/usr/bin/env python3
"""A peer in a process of its own: DuckDB, ClickHouse (chdb), Polars, PySpark or SQLite.

    peer.py ENGINE THREADS CORES                     commands on standard input, as bench/inside.c answers them
    peer.py ENGINE THREADS CORES once SETUP QUERY    the setup, the query, its rows as CSV to /dev/null
    peer.py ENGINE version                           prints the version; fails where the engine is not installed

A query's answer is kept by the engine as columns of its own kind until the next query, as inside.c keeps leat's.
"""

import os
import resource
import sys
import time


class DuckDB:
    def __init__(self, threads):
        import duckdb
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = %d" % threads)
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute("SET preserve_insertion_order = false")

    @staticmethod
    def version():
        import duckdb
        return duckdb.__version__

    def script(self, sql):
        self.connection.execute(sql)

    def query(self, sql):
        self.connection.execute("CREATE OR REPLACE TEMP TABLE answer AS " + sql)

    def rows(self, sql):
        cursor = self.connection.execute(sql)
        while True:
            block = cursor.fetchmany(100000)
            if not block:
                return
            yield from block

    def whole(self, sql):
        self.connection.execute("COPY (%s) TO '/dev/null' (FORMAT csv, HEADER)" % sql)


class ClickHouse:
    def __init__(self, threads):
        from chdb import session
        self.session = session.Session()
        self.session.query("CREATE DATABASE IF NOT EXISTS bench")
        self.session.query("USE bench")
        self.session.query("SET max_threads = %d, max_insert_threads = 1, session_timezone = 'UTC', "
                           "date_time_input_format = 'best_effort'" % threads)
        if threads == 1:  # parsing on the side costs CPU and gains nothing
            self.session.query("SET input_format_parallel_parsing = 0")

    @staticmethod
    def version():
        import chdb
        return "%s (chdb %s)" % (str(chdb.query("SELECT version()")).strip().strip('"'), chdb.__version__)

    def script(self, sql):
        for statement in sql.split(";"):
            if statement.strip():
                self.session.query(statement)

    def query(self, sql):
        self.session.query("CREATE OR REPLACE TABLE answer ENGINE = Memory AS " + sql)

    def rows(self, sql):
        import json
        text = self.session.query("SELECT * FROM (%s) SETTINGS output_format_json_quote_64bit_integers = 0, "
                                  "output_format_json_quote_decimals = 0" % sql, "JSONCompactEachRow").bytes()
        for line in text.splitlines():
            yield json.loads(line, parse_float=str)

    def whole(self, sql):
        with open("/dev/null", "wb") as out:
            out.write(self.session.query(sql, "CSVWithNames").bytes())


class Polars:
    def __init__(self, threads):
        os.environ["POLARS_MAX_THREADS"] = str(threads)
        import polars
        self.polars = polars
        self.context = polars.SQLContext()
        self.answer = None

    @staticmethod
    def version():
        import polars
        return polars.__version__

    def script(self, code):
        exec(code, {"polars": self.polars, "register": self.context.register})

    def query(self, sql):
        self.answer = None
        self.answer = self.context.execute(sql, eager=False).collect()

    def rows(self, sql):
        self.query(sql)
        return self.answer.iter_rows(buffer_size=100000)

    def whole(self, sql):
        self.query(sql)
        self.answer.write_csv("/dev/null")


class Spark:
    def __init__(self, threads):
        from pyspark.sql import SparkSession
        self.spark = (SparkSession.builder.master("local[%d]" % threads).config("spark.sql.shuffle.partitions", threads)
                      .config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false").getOrCreate())

    @staticmethod
    def version():
        import pyspark
        return pyspark.__version__

    def script(self, sql):
        for statement in sql.split(";"):
            if statement.strip():
                self.spark.sql(statement)

    def query(self, sql):
        self.spark.sql(sql).write.format("noop").mode("overwrite").save()

    def rows(self, sql):
        return (tuple(row) for row in self.spark.sql(sql).toLocalIterator())

    def whole(self, sql):
        for _ in self.rows(sql):
            pass


class SQLite:
    def __init__(self, threads):
        import sqlite3
        self.connection = sqlite3.connect(":memory:")

    @staticmethod
    def version():
        import sqlite3
        return sqlite3.sqlite_version

    def script(self, code):
        """Python: `table(name, columns, path, is_csv)`; `execute(sql)`."""
        exec(code, {"table": self.table, "execute": self.connection.execute})

    def table(self, name, columns, path, is_csv):
        """JSON: the lines are loaded before the query, which takes them apart. CSV: loaded as columns."""
        import csv
        import glob
        files = sorted(glob.glob(path + "/*")) if os.path.isdir(path) else [path]
        if not is_csv:
            self.connection.execute("CREATE TABLE %s_lines (j TEXT)" % name)
            self.connection.execute("CREATE VIEW %s AS SELECT %s FROM %s_lines" % (
                name, ", ".join("j ->> '$.%s' AS \"%s\"" % (c, c) for c in columns), name))
        else:
            self.connection.execute("CREATE TABLE %s (%s)" % (name, ", ".join("\"%s\" NUMERIC" % c for c in columns)))
        for path in files:
            with open(path, newline="\n") as file:
                if is_csv:
                    self.connection.executemany("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(columns))),
                                                list(csv.reader(file))[1:])
                else:
                    self.connection.executemany("INSERT INTO %s_lines VALUES (?)" % name, ((line,) for line in file))

    def query(self, sql):
        self.connection.execute("DROP TABLE IF EXISTS answer")
        self.connection.execute("CREATE TEMP TABLE answer AS " + sql)

    def rows(self, sql):
        return self.connection.execute(sql)

    def whole(self, sql):
        for _ in self.connection.execute(sql):
            pass


ENGINES = {"duckdb": DuckDB, "chdb": ClickHouse, "polars": Polars, "pyspark": Spark, "sqlite3": SQLite}
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def text_of(value):
    if value is None:
        return "\\N"
    if value is True or value is False:
        return "true" if value else "false"
    text = str(value)
    return text.translate(ESCAPES) if isinstance(value, str) else text


def read(path):
    with open(path) as file:
        return file.read()


def run(engine, verb, arguments):
    """Returns rows (-1: not counted)."""
    sql = read(arguments[0])
    if verb == "script":
        engine.script(sql)
        return 0
    if verb == "query":
        engine.query(sql)
        return -1
    count = 0
    with open(arguments[1], "w") as out:
        for row in engine.rows(sql):
            out.write("\t".join(map(text_of, row)) + "\n")
            count += 1
    return count


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(arguments):
    kind = ENGINES[arguments[0]]
    if arguments[1] == "version":
        print(kind.version())
        return
    os.sched_setaffinity(0, {int(core) for core in arguments[2].split(",")})
    engine = kind(int(arguments[1]))
    if len(arguments) > 3 and arguments[3] == "once":
        engine.script(read(arguments[4]))
        engine.whole(read(arguments[5]))
        sys.stdout.flush()
        os._exit(0)  # no engine's farewell is timed
    for line in sys.stdin:
        verb, *names = line.split()
        wall, cpu = time.monotonic(), cpu_seconds()
        try:
            count = run(engine, verb, names)
        except Exception as error:  # the driver decides what a failure means
            print("error " + str(error).replace("\n", " ")[:500], flush=True)
            continue
        print("ok %.6f %.6f %d" % (time.monotonic() - wall, cpu_seconds() - cpu, count), flush=True)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
