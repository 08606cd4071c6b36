"""Every query of the recordings (tests/conformance/queries) as a standing query over tables that change.

    recorded.py LEAT FOLDER [NAME ...]

The rows of each table are cut into parts by chance. In each step every table holds other parts, some twice; in the last
one it is empty. After each step the view equals its SELECT. Views over a query that is refused as one, or whose SELECT
fails in between, are left out from there on. The seed is fixed: a failure is the same again.
"""

import collections
import json
import os
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
PARTS = ["part__ < 3", "part__ > 1", "part__ IN (0, 2, 3)", "part__ = 1", "true", "part__ IN (1, 3)", "false"]
TWICE = ["false", "part__ = 2", "false", "part__ = 1", "part__ < 2", "false", "false"]


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
    """The statements of a file and, by number of the query, its text; None where it is no SELECT with one answer."""
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


def steps_of(tables, queries):
    """Statements that change the tables, and behind them pairs to compare."""
    out = [("setup", "CREATE TABLE %s__all AS SELECT *, CAST(floor(rand(%d) * 4) AS INT) AS part__ FROM %s" % (t, 7 + i, t))
           for i, t in enumerate(tables)]
    out += [("view%d" % i, "CREATE MATERIALIZED VIEW view__%d AS %s" % (i, query)) for i, query in enumerate(queries)]
    for step, (kept, twice) in enumerate(zip(PARTS, TWICE)):
        for table in tables:
            rows = "SELECT * EXCEPT (part__) FROM %s__all WHERE " % table
            out.append(("setup", "INSERT OVERWRITE %s %s%s" % (table, rows, kept)))
            out.append(("setup", "INSERT INTO %s %s%s" % (table, rows, twice)))
        out += [("setup", "PROCESS ALL AVAILABLE")] * 4  # ends where a view fails, which it does once
        for i, query in enumerate(queries):
            out.append(("mark", "SELECT 'select %d %d' AS mark__" % (step, i)))
            out.append(("select %d %d" % (step, i), query))
            out.append(("mark", "SELECT 'view %d %d' AS mark__" % (step, i)))
            out.append(("view %d %d" % (step, i), "SELECT * FROM view__%d" % i))
    return out


def run(program, statements):
    """Counters of rows by mark, and the labels of the statements that failed."""
    lines, label_of_line, failed = [], {}, {}
    for label, sql in statements:
        label_of_line[len(lines) + 1] = label
        lines += (sql + "\n;").split("\n")
    starts = sorted(label_of_line)
    with tempfile.TemporaryDirectory(prefix="leat-recorded-") as folder:
        with open(os.path.join(folder, "queries.sql"), "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        done = subprocess.run([program, "--keep-going", "--format", "jsonl", "queries.sql"], cwd=folder, capture_output=True, text=True)
    for line, text in re.findall(r"^queries\.sql:(\d+):\d+: error: (.*)", done.stderr, re.MULTILINE):
        failed[label_of_line[max(start for start in starts if start <= int(line))]] = text
    answers, at = collections.defaultdict(collections.Counter), None
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if list(row) == ["mark__"]:
            at = row["mark__"]
        elif at is not None:
            answers[at][json.dumps(list(row.values()), sort_keys=True)] += 1
    return answers, failed


def main():
    program, folder, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    views = compared = differences = 0
    refused = collections.Counter()
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".test") or (names and name[:-5] not in names):
            continue
        statements, queries, tables = script_of(os.path.join(folder, name))
        if not tables or not queries:
            continue
        answers, failed = run(program, [("statement", sql) for sql in statements] + steps_of(tables, queries))
        for i, query in enumerate(queries):
            if "view%d" % i in failed:
                refused[failed["view%d" % i].split("]")[0].lstrip("[")] += 1
                continue
            views += 1
            for step in range(len(PARTS)):
                if "select %d %d" % (step, i) in failed:
                    break
                selected, view = "select %d %d" % (step, i), "view %d %d" % (step, i)
                compared += 1
                if answers[selected] != answers[view] or view in failed:
                    differences += 1
                    print("%s, step %d: %s\n  only in the SELECT: %s\n  only in the view: %s %s" % (
                        name, step, query, dict(answers[selected] - answers[view]), dict(answers[view] - answers[selected]),
                        failed.get(view, "")))
                    break
    print("%d views, %d comparisons, %d differ; not made: %s" % (views, compared, differences, dict(refused)))
    return 1 if differences > 0 or (views == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
