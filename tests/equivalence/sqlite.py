#!/usr/bin/env python3
"""Random queries where SQLite and Spark agree, answered by SQLite, a SELECT of leat and a standing query of leat.

    sqlite.py LEAT [--seed N] [--count N] [-v]

Integers, texts, NULL: joins, groups, sub-queries, windows, set operations, LIMIT in a total order. After each of a few
batches the view and the SELECT over all rows so far give SQLite's rows. Every query of seed S is made from S alone;
without --seed one is drawn. Exit: 0 equal, 1 different, 77 where python has no SQLite of 3.39 or later.
"""

import argparse
import collections
import os
import random
import secrets
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
from leat_answers import leat_answers

try:
    import sqlite3
except ImportError:
    sys.exit(77)

BATCHES = 3
ROWS_MAX = 14
QUERIES_EACH = 25  # of one program
COLUMNS = (("id", "INT"), ("k", "INT"), ("n", "INT"), ("s", "STRING"), ("u", "STRING"))
VALUES = {"k": (1, 2, 3), "n": (0, 1, 2, 3, -4), "s": ("", "a", "b", "ab", "a longer text than twelve bytes"), "u": ("x", "B", "b")}


class Generator:
    """A column is (name, type); a source is (text, columns, whether no two of its rows are equal)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def pick(self, *of):
        return self.random.choice(of)

    def name(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    # ---- expressions: INT or STRING

    def varying(self, columns, of, depth=0):
        """An expression that reads a column: SQLite 3.40 loses rows of RIGHT and FULL joins near an ON that is constant."""
        text = self.expression(columns, of, depth)
        fitting = [name for name, its in columns if its == of]
        return self.pick(*fitting) if fitting and not any(name in text for name, _ in columns) else text

    def leaf(self, columns, of):
        fitting = [name for name, its in columns if its == of]
        if fitting and not self.one_in(10):
            return self.pick(*fitting)
        if self.one_in(12):
            return "CAST(NULL AS %s)" % of
        return self.pick("0", "1", "2", "-3") if of == "INT" else self.pick("'a'", "'b'", "'ab'", "''")

    def expression(self, columns, of, depth=2):
        if depth == 0 or self.one_in(2):
            return self.leaf(columns, of)
        part = lambda its: self.expression(columns, its, depth - 1)
        form = self.random.randrange(7)
        if form == 0:
            tail = " ELSE %s" % part(of) if self.one_in(2) else ""
            return "CASE WHEN %s THEN %s%s END" % (self.condition(columns, depth - 1), part(of), tail)
        if form == 1:
            return "%s(%s, %s)" % (self.pick("coalesce", "nullif"), part(of), part(of))
        if of == "INT":
            if form == 2:
                return "length(%s)" % part("STRING")
            if form == 3:
                return "abs(%s)" % part("INT")
            return "(%s %s %s)" % (part("INT"), self.pick("+", "-", "*"), self.leaf(columns, "INT"))
        if form == 2:
            return "%s(%s)" % (self.pick("upper", "lower", "trim"), part("STRING"))
        if form == 3:
            return "substr(%s, %s)" % (part("STRING"), self.pick("1", "2, 2", "1, 3", "-1"))
        if form == 4:
            return "replace(%s, 'a', %s)" % (part("STRING"), self.pick("'z'", "''", "'aa'"))
        return "(%s || %s)" % (part("STRING"), self.leaf(columns, "STRING"))

    def condition(self, columns, depth=1):
        of = self.pick(*[its for _, its in columns])
        form = self.random.randrange(6 if depth == 0 else 9)
        if form == 0:
            return "(%s IS %sNULL)" % (self.varying(columns, of), self.pick("", "NOT "))
        if form == 1 and of == "INT":
            return "(%s %sIN (1, 2, %s))" % (self.varying(columns, of), self.pick("", "NOT "), self.pick("3", "NULL"))
        if form == 2 and of == "STRING":
            return "(%s LIKE %s)" % (self.varying(columns, of, depth), self.pick("'a%'", "'%b'", "'_'"))
        if form < 6:
            return "(%s %s %s)" % (self.varying(columns, of, depth), self.pick("=", "<", "<=", ">", ">=", "<>"),
                                   self.leaf(columns, of))
        if form == 6:
            return "(NOT %s)" % self.condition(columns, depth - 1)
        return "(%s %s %s)" % (self.condition(columns, depth - 1), self.pick("AND", "OR"), self.condition(columns, depth - 1))

    def subquery_condition(self, columns):
        n, m = self.leaf(columns, "INT"), self.leaf(columns, "INT")
        return self.pick("%s IN (SELECT z.n FROM $b AS z)", "%s NOT IN (SELECT z.n FROM $b AS z WHERE z.s = 'a')",
                         "%s NOT IN (SELECT z.n FROM $a AS z WHERE z.n IS NOT NULL AND z.k = 1)",
                         "%s > (SELECT min(z.n) FROM $b AS z)", "%s <= (SELECT count(*) FROM $a AS z WHERE z.k = %s)",
                         "%s >= (SELECT max(z.n) FROM $b AS z WHERE z.k = %s)", "EXISTS (SELECT 1 FROM $b AS z WHERE z.k = %s)",
                         "NOT EXISTS (SELECT 1 FROM $a AS z WHERE z.k = %s AND z.n > %s)",
                         "EXISTS (SELECT 1 FROM $a AS z WHERE z.k = %s AND z.n <> %s)",
                         "%s IN (SELECT z.n FROM $a AS z WHERE z.k = %s)", "%s NOT IN (SELECT z.n FROM $b AS z WHERE z.k = %s)").replace("%s", "{}").format(n, m)

    # ---- sources

    def input(self, depth):
        alias = self.name("x")
        if depth > 0 and self.one_in(3):
            text, made = self.block([self.pick("INT", "STRING") for _ in range(self.random.randint(1, 4))], depth - 1)
            return "(%s) AS %s" % (text, alias), [("%s.%s" % (alias, name), of) for name, of in made], False
        return "%s AS %s" % (self.pick("$a", "$b"), alias), [("%s.%s" % (alias, name), of) for name, of in COLUMNS], True

    def source(self, depth):
        text, columns, is_keyed = self.input(depth)
        while depth > 0 and self.one_in(2):
            depth -= 1
            other, more, other_keyed = self.input(depth)
            both = columns + more
            left = self.pick(*columns)
            fitting = [name for name, of in more if of == left[1]]
            terms = ["%s = %s" % (left[0], self.pick(*fitting))] if fitting else []
            if not terms or self.one_in(4):
                terms.append(self.condition(both))
            join = self.pick("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN") if fitting else self.pick("JOIN", "LEFT JOIN")
            text += " %s %s ON %s" % (join, other, " AND ".join(terms))
            columns, is_keyed = both, is_keyed and other_keyed
        return text, columns, is_keyed

    # ---- blocks

    def aggregate(self, columns, of):
        argument = ("DISTINCT " if self.one_in(4) else "") + self.expression(columns, of, 1)
        tail = " FILTER (WHERE %s)" % self.condition(columns) if self.one_in(4) else ""
        if of == "STRING":
            return "%s(%s)%s" % (self.pick("min", "max"), argument, tail)
        if self.one_in(4):
            return "count(*)" + tail
        return "%s(%s)%s" % (self.pick("sum", "count", "min", "max"), argument, tail)

    def window(self, columns):
        partition = "PARTITION BY %s " % self.leaf(columns, self.pick("INT", "STRING")) if not self.one_in(4) else ""
        names = [name for name, _ in columns]
        self.random.shuffle(names)
        return partition + "ORDER BY " + ", ".join(name + self.pick("", "", " DESC", " NULLS LAST") for name in names)

    def peers(self, columns):
        partition = "PARTITION BY %s " % self.leaf(columns, self.pick("INT", "STRING")) if not self.one_in(4) else ""
        order = "%sORDER BY %s%s" % (partition, self.expression(columns, "INT", 1), self.pick("", " DESC"))
        if self.one_in(2):
            return "%s() OVER (%s)" % (self.pick("rank", "dense_rank"), order)
        frame = self.pick("", " RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING", " RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
                          " RANGE BETWEEN CURRENT ROW AND 2 FOLLOWING", " RANGE BETWEEN 2 PRECEDING AND CURRENT ROW")
        return "%s(%s) OVER (%s%s)" % (self.pick("sum", "count", "min", "max"), self.leaf(columns, "INT"), order, frame)

    def windowed(self, columns, of, window):
        if of == "INT" and self.one_in(4):
            return self.peers(columns)
        if of == "INT" and self.one_in(3):
            return "%s OVER (%s)" % (self.pick("row_number()", "rank()", "dense_rank()", "ntile(3)"), window)
        argument = self.expression(columns, of, 1)
        if self.one_in(3):
            return "%s(%s%s) OVER (%s)" % (self.pick("lag", "lead"), argument, self.pick("", ", 2"), window)
        frame = self.pick("", "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
                          " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING", " ROWS UNBOUNDED PRECEDING",
                          " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")
        name = self.pick("min", "max", "first_value", "last_value", *(("sum", "count") if of == "INT" else ()))
        return "%s(%s) OVER (%s%s)" % (name, argument, window, frame)

    def block(self, types, depth):
        """(text, columns) of a SELECT with these types."""
        source, columns, is_keyed = self.source(depth)
        form = self.pick("groups", "groups", "windows", "windows", "distinct", "plain")
        one_window = self.window(columns)  # of rows that may be equal: they take the same places in all functions
        keys = self.random.randint(0, len(types)) if form == "groups" else len(types)
        items, made, is_first_of = [], [], None
        for i, of in enumerate(types):
            window = self.window(columns) if is_keyed else one_window
            if form == "groups" and i >= keys:
                text = self.aggregate(columns, of)
            elif form == "windows" and self.one_in(2):
                text = self.windowed(columns, of, window) if is_keyed or self.one_in(2) else "%s OVER (%s)" % (
                    "row_number()" if of == "INT" else "lag(%s)" % self.leaf(columns, of), window)
            else:
                text = self.expression(columns, of)
            made.append((self.name("c"), of))
            items.append("%s AS %s" % (text, made[-1][0]))
        if form == "windows" and self.one_in(3):
            is_first_of = self.name("c")
            items.append("%s() OVER (%s) AS %s" % (self.pick("row_number", "rank"), one_window, is_first_of))
        text = "SELECT %s%s FROM %s" % ("DISTINCT " if form == "distinct" else "", ", ".join(items), source)
        if self.one_in(3):
            text += " WHERE " + (self.subquery_condition(columns) if self.one_in(3) else self.condition(columns))
        if form == "groups" and keys > 0:
            text += " GROUP BY " + ", ".join(str(i + 1) for i in range(keys))
            if self.one_in(4):
                text += " HAVING count(*) > 1"
        if is_first_of:
            text = "SELECT %s FROM (%s) AS %s WHERE %s <= %d" % (", ".join(name for name, _ in made), text, self.name("q"),
                                                                is_first_of, self.random.randint(1, 3))
        if depth < 2 and self.one_in(8):
            text = "SELECT * FROM (%s) AS %s ORDER BY %s LIMIT %d OFFSET %d" % (
                text, self.name("q"), ", ".join(name for name, _ in made), self.random.randint(1, 5), self.pick(0, 0, 1, 3))
        return text, made

    def query(self):
        types = [self.pick("INT", "STRING") for _ in range(self.random.randint(1, 4))]
        text, made = self.block(types, 2)
        if self.one_in(5):
            other, _ = self.block(types, 1)
            text = "SELECT * FROM (%s) AS q0 %s SELECT * FROM (%s) AS q1" % (
                text, self.pick("UNION ALL", "UNION", "INTERSECT", "EXCEPT"), other)
        return text

    def row(self, key):
        value = lambda name: None if self.one_in(6) else self.pick(*VALUES[name])
        return (key,) + tuple(value(name) for name, _ in COLUMNS[1:])


def literal(value):
    return "NULL" if value is None else str(value) if isinstance(value, int) else "'%s'" % value


def rows_text(rows):
    return ", ".join("(%s)" % ", ".join(map(literal, row)) for row in rows)


def of_sqlite(query):
    return query.replace("$a", "a_rows").replace("$b", "b_rows").replace("AS STRING)", "AS TEXT)")


def batches_of(seed):
    make = Generator("rows %d" % seed)
    key = 0
    batches = []
    for _ in range(BATCHES):
        batch = {}
        for table in "ab":
            batch[table] = [make.row(key + i) for i in range(make.random.randrange(ROWS_MAX))]
            key += len(batch[table])
        batches.append(batch)
    return batches


def sqlite_answers(queries, batches):
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA case_sensitive_like = ON")
    for table in "ab":
        database.execute("CREATE TABLE %s_rows (%s)" % (table, ", ".join(
            "%s %s" % (name, "INTEGER" if of == "INT" else "TEXT") for name, of in COLUMNS)))
    answers = []
    for batch in batches:
        for table, rows in batch.items():
            if rows:
                database.execute("INSERT INTO %s_rows VALUES %s" % (table, rows_text(rows)))
        for query in queries:
            answers.append(collections.Counter(map(tuple, database.execute(of_sqlite(query)).fetchall())))
    database.close()
    return answers


def check(program, first, count, is_verbose):
    """How many queries of the seeds first .. first + count - 1 differ; they share the rows of seed `first`."""
    queries = [Generator(seed).query() for seed in range(first, first + count)]
    batches = batches_of(first)
    wanted = sqlite_answers(queries, batches)
    texts = [{table: rows_text(rows) for table, rows in batch.items()} for batch in batches]
    given, said = leat_answers(program, COLUMNS, queries, texts)
    different = set()
    for at, rows in enumerate(wanted):
        batch, number = divmod(at, count)
        for way, answer in zip(("view", "SELECT"), given[2 * at:2 * at + 2]):
            if answer != rows and number not in different:
                different.add(number)
                print("seed %d of rows %d, batch %d, %s differs: %s" % (first + number, first, batch, way, queries[number]))
                print("  only SQLite: %s\n  only leat:   %s" % (list((rows - answer).elements()), list((answer - rows).elements())))
                print("  again: sqlite.py %s --seed %d --count %d" % (program, first, count))
    if is_verbose:
        for number, query in enumerate(queries):
            print("%d: %s\n  rows: %s" % (first + number, query, [sum(wanted[b * count + number].values()) for b in range(BATCHES)]))
    if said and (different or is_verbose):
        print(said[:4000])
    elif said:
        print("seeds %d..: %s" % (first, said[:2000]))
        different.add(-1)
    return len(different)


def main():
    parser = argparse.ArgumentParser(prog="sqlite.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("leat")
    parser.add_argument("--seed", type=int, help="default: drawn anew")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("-v", dest="is_verbose", action="store_true")
    options = parser.parse_args()
    if sqlite3.sqlite_version_info < (3, 39):
        sys.exit(77)
    first = options.seed if options.seed is not None else secrets.randbits(32)
    print("seeds %d to %d" % (first, first + options.count - 1), flush=True)
    different = 0
    for start in range(0, options.count, QUERIES_EACH):
        different += check(os.path.abspath(options.leat), first + start, min(QUERIES_EACH, options.count - start), options.is_verbose)
    print("%d queries, %d differ" % (options.count, different))
    sys.exit(different > 0)


main()
