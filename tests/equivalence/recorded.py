"""Every query of the recordings (tests/conformance/queries) as a standing query over tables that change.

    recorded.py LEAT FOLDER [--seed N] [NAME ...]

The rows of each table are cut into parts by chance. In each step every table holds other parts: rows come, come twice,
change in one column, and go. After each step the view equals its SELECT. At some steps the views are stopped while the
tables change; between some the program ends, and another one goes on from the checkpoints. In step EMPTY all rows are
taken back: no operator keeps more than that of a view which is made then, and only those of KEPT keep anything. Views of
a query that is refused as one, or whose SELECT fails in between, are left out from there on. The first line says the
seed; without --seed it is drawn.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

# What has no one answer: which rows come first among equal ones, chance, the clock.
NOT_DETERMINED = re.compile(
    r"\b(limit|offset|tablesample|first|last|any_value|collect_list|array_agg|rand|randn|uuid|shuffle|now|current_\w+|"
    r"monotonically_increasing_id|input_file_name|\w*approx\w*)\b",
    re.IGNORECASE,
)
# What has one answer while equal rows are the only ties, which a change in one column ends.
DETERMINED_BY_TIES = re.compile(r"\b(over|qualify|max_by|min_by|mode|listagg|string_agg)\b", re.IGNORECASE)
STEPS, EMPTY = 8, 6
ALL_AVAILABLE = [("process", "PROCESS ALL AVAILABLE")] * 12  # one ends where a view fails, which it does once
# Files in memory, where there are some: checkpoints are synced thousands of times.
PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Operators that keep rows over empty tables, and which.
KEPT = {
    "Aggregate": "the group of an aggregate without keys, which has a result over no rows; groups of literal rows",
    "Join": "that result, or literal rows, on one side",
    "Recursion": "the rows it begins with, where they are literals",
    "SingleRow": "that result, or literals",
    "Window": "that result",
}


def records_of(path):
    """(kind, SQL, number of columns) of each record."""
    with open(path, encoding="utf-8") as file:
        paragraphs = re.split(r"\n[ \t]*\n", file.read())
    for paragraph in paragraphs:
        lines = [line for line in paragraph.split("\n") if not line.startswith(("#", "differs:"))]
        if not lines:
            continue
        body, _, answer = "\n".join(lines[1:]).partition("\n----\n")
        yield lines[0].split()[0], body.strip().rstrip(";"), answer.split("\n")[0].count("\t") + 1


def script_of(path):
    """The statements of a file, its SELECTs with one answer, and the names of its tables."""
    statements, queries, tables = [], [], {}
    for kind, sql, width in records_of(path):
        created = re.match(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", sql, re.IGNORECASE)
        if kind == "statement":
            if not re.match(r"(DROP|ALTER|TRUNCATE|CACHE|REFRESH|USE|SET|RESET|DECLARE)\b", sql, re.IGNORECASE):
                statements.append(sql)
            if created:
                tables[created.group(1)] = True
        elif kind == "query" and re.match(r"(SELECT|WITH|FROM|\()", sql, re.IGNORECASE) and not NOT_DETERMINED.search(sql):
            names = ", ".join("c%d" % i for i in range(width))
            queries.append("SELECT * FROM (%s\n) AS whole__(%s)" % (sql, names))
    return statements, queries, list(tables)


def run(program, folder, statements):
    """Rows by mark, and the labels of the statements that failed; statements are (label, SQL)."""
    lines, label_of_line, failed = [], {}, {}
    for label, sql in statements:
        label_of_line[len(lines) + 1] = label
        lines += (sql + "\n;").split("\n")
    starts = sorted(label_of_line)
    with open(os.path.join(folder, "queries.sql"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    done = subprocess.run([program, "--keep-going", "--format", "jsonl", "queries.sql"], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        failed["program"] = "exit %d: %s" % (done.returncode, done.stderr[-300:])
    for line, text in re.findall(r"^queries\.sql:(\d+):\d+: error: (.*)", done.stderr, re.MULTILINE):
        failed[label_of_line[max(start for start in starts if start <= int(line))]] = text
    answers, at = collections.defaultdict(list), None
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if list(row) == ["mark__"]:
            at = row["mark__"]
        elif at is not None:
            answers[at].append(row)
    return answers, failed


def asked(mark, sql):
    return [("mark", "SELECT '%s' AS mark__" % mark), (mark, sql)]


def parts_of(table, columns, chance):
    """Statements that make, of a table's rows, two tables of numbered ones; in the second a column has other values."""
    changed = chance.choice(columns)
    other = ", ".join("lag({0}, 1, {0}) OVER (ORDER BY part__) AS {0}".format(c) if c == changed else c for c in columns)
    return [
        "CREATE TABLE %s__all AS SELECT *, CAST(floor(rand(%d) * 4) AS INT) AS part__ FROM %s" % (table, chance.randrange(1000), table),
        "CREATE TABLE %s__changed AS SELECT %s, part__ FROM %s__all" % (table, other, table),
    ]


def fill(table, columns, step, is_changing, chance):
    """Statements after which a table holds other rows than before."""
    parts = lambda share: "part__ IN (-1%s)" % "".join(", %d" % part for part in range(4) if chance.random() < share)
    kept = "false" if step == EMPTY else "true" if step == EMPTY - 1 else parts(0.6)
    changed, twice = parts(0.4) if is_changing else "false", parts(0.3)
    rows = "SELECT {0} FROM {1}__all WHERE {2} AND NOT {3} UNION ALL SELECT {0} FROM {1}__changed WHERE {2} AND {3}"
    out = ["INSERT OVERWRITE %s %s" % (table, rows.format(", ".join(columns), table, kept, changed))]
    if step != EMPTY and chance.random() < 0.5:
        out.append("INSERT INTO %s SELECT %s FROM %s__all WHERE %s" % (table, ", ".join(columns), table, twice))
    return out


class Views:
    """The views of one file, over several runs of the program."""

    def __init__(self, program, path, chance, figures):
        self.program, self.chance, self.figures = program, chance, figures
        self.statements, self.queries, self.tables = script_of(path)
        self.alive = list(range(len(self.queries)))
        self.changing = set()  # steps in which rows change in one column
        self.differences = []

    def differ(self, step, number, text):
        self.differences.append("step %d: %s\n  %s" % (step, self.queries[number], text))
        if number in self.alive:
            self.alive.remove(number)

    def columns(self, folder):
        """The columns of each table, quoted; tables that are not made are forgotten."""
        script = [("setup", sql) for sql in self.statements]
        for table in self.tables:
            script += asked(table, "DESCRIBE %s" % table)
        answers, _ = run(self.program, folder, script)
        self.tables = [table for table in self.tables if answers[table]]
        return {table: ["`%s`" % row["col_name"].replace("`", "``") for row in answers[table]] for table in self.tables}

    def step(self, step, columns):
        """The statements of a step."""
        out = []
        is_stopped, is_changing = step > 0 and self.chance.random() < 0.2, self.chance.random() < 0.4
        if is_changing:
            self.changing.add(step)
        self.figures["stops"] += is_stopped
        if is_stopped:
            out += [("stop", "STOP QUERY view__%d" % i) for i in self.alive]
        for table in self.tables:
            out += [("setup", sql) for sql in fill(table, columns[table], step, is_changing, self.chance)]
        if is_stopped:
            out += [("start", "START QUERY view__%d" % i) for i in self.alive]
        out += ALL_AVAILABLE
        for i in self.alive:
            out += asked("select %d %d" % (step, i), self.queries[i])
            out += asked("view %d %d" % (step, i), "SELECT * FROM view__%d" % i)
        if step == EMPTY:
            out += [("fresh %d" % i, "CREATE MATERIALIZED VIEW fresh__%d AS %s" % (i, self.queries[i])) for i in self.alive]
            out += ALL_AVAILABLE
            out += asked("state", "SELECT name, operator, numRowsTotal AS held FROM leat_operators WHERE rowsIn IS NOT NULL")
            out += [("fresh", "DROP VIEW fresh__%d" % i) for i in self.alive]
        return out

    def judge_answers(self, step, number, answers, failed):
        select, view = "select %d %d" % (step, number), "view %d %d" % (step, number)
        if select in failed:
            self.alive.remove(number)
        if select in failed or (step in self.changing and DETERMINED_BY_TIES.search(self.queries[number])):
            return
        self.figures["comparisons"] += 1
        wanted, got = (collections.Counter(json.dumps(list(row.values()), sort_keys=True) for row in answers[mark])
                       for mark in (select, view))
        if wanted != got or view in failed:
            self.differ(step, number, "only in the SELECT: %s\n  only in the view: %s %s" % (
                dict(wanted - got), dict(got - wanted), failed.get(view, "")))

    def judge_state(self, rows):
        """When all rows are taken back."""
        held = collections.defaultdict(collections.Counter)
        for row in rows:
            held[row["name"]] += collections.Counter({row["operator"]: row["held"] or 0})
        ran = {row["name"] for row in rows}
        for i in list(self.alive):
            if not {"view__%d" % i, "fresh__%d" % i} <= ran:
                continue  # no input changed since the program began
            kept = held["view__%d" % i]
            self.figures["empty" if not kept else "kept"] += 1
            if kept != held["fresh__%d" % i] or set(kept) - set(KEPT):
                self.differ(EMPTY, i, "all rows are taken back, and it keeps %s; one made now: %s" % (
                    dict(kept), dict(held["fresh__%d" % i])))

    def judge(self, steps, answers, failed):
        if "program" in failed:
            self.differences.append("steps %s: %s" % (steps, failed["program"]))
        for i in list(self.alive):
            why = failed.get("create %d" % i)
            if why is not None and 0 in steps:
                self.figures["refused"] += 1
                self.alive.remove(i)
            elif why is not None:
                self.differ(steps[0], i, "not made again: %s" % why)
            self.figures["views"] += why is None and 0 in steps
        for step in steps:
            for i in list(self.alive):
                self.judge_answers(step, i, answers, failed)
            if step == EMPTY:
                self.judge_state(answers["state"])

    def run(self):
        with tempfile.TemporaryDirectory(prefix="leat-recorded-", dir=PLACE) as folder:
            columns = self.columns(folder)
            numbers = {table: self.chance.randrange(1 << 30) for table in self.tables}
            begin = 0
            while begin < STEPS:
                steps = [begin]
                while steps[-1] + 1 < STEPS and self.chance.random() >= 0.3:
                    steps.append(steps[-1] + 1)
                script = [("setup", sql) for sql in self.statements]
                for table in self.tables:
                    script += [("setup", sql) for sql in parts_of(table, columns[table], random.Random(numbers[table]))]
                create = "CREATE MATERIALIZED VIEW view__%d WITH (checkpointLocation = 'checkpoint%d') AS %s"
                script += [("create %d" % i, create % (i, i, self.queries[i])) for i in self.alive]
                for step in steps:
                    script += self.step(step, columns)
                self.judge(steps, *run(self.program, folder, script))
                self.figures["restarts"] += begin > 0
                begin = steps[-1] + 1


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("names", nargs="*", metavar="NAME")
    given = arguments.parse_intermixed_args()
    print("seed %d" % given.seed, flush=True)
    figures, differences = collections.Counter(), 0
    for name in sorted(os.listdir(given.folder)):
        if not name.endswith(".test") or (given.names and name[:-5] not in given.names):
            continue
        chance = random.Random("%d %s" % (given.seed, name))
        views = Views(os.path.abspath(given.program), os.path.join(given.folder, name), chance, figures)
        if not views.tables or not views.queries:
            continue
        views.run()
        for text in views.differences:
            print("%s, %s\n  recorded.py %s %s --seed %d %s" % (name, text, given.program, given.folder, given.seed, name[:-5]))
        differences += len(views.differences)
    print("%(views)d views (%(refused)d refused), %(comparisons)d comparisons, %(stops)d stops and %(restarts)d restarts of all "
          "views of a file; taken back: %(empty)d keep nothing, %(kept)d a result over no rows" % collections.Counter(figures))
    print("%d differ" % differences)
    return 1 if differences > 0 or figures["views"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
