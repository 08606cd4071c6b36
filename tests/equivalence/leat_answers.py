"""What a SELECT and a standing query of leat give over rows that come in batches: for sqlite.py and duckdb.py."""

import collections
import json
import os
import subprocess
import tempfile


def leat_answers(program, columns, queries, batches):
    """[view, select] after each batch, per query: Counters of rows, empty where it fails; and what the program said.

    columns: (name, type) of the tables a and b. queries: texts over $a and $b. batches: {table: text behind VALUES}.
    """
    script = []
    of_streams = lambda query: query.replace("$a", "a").replace("$b", "b")
    of_rows = lambda query: query.replace("$a", "a_rows").replace("$b", "b_rows")
    for table in "ab":
        names = ", ".join("%s %s" % column for column in columns)
        script.append("CREATE STREAM %s (%s) WITH (connector = 'memory')" % (table, names))
        script.append("CREATE TABLE %s_rows (%s)" % (table, names))
    for i, query in enumerate(queries):
        script.append("CREATE MATERIALIZED VIEW v%d AS %s" % (i, of_streams(query)))
    mark = 0
    for batch in batches:
        for table, rows in batch.items():
            if rows:
                script += ["INSERT INTO %s%s VALUES %s" % (table, suffix, rows) for suffix in ("", "_rows")]
        script.append("PROCESS ALL AVAILABLE")
        for i, query in enumerate(queries):
            for text in ("SELECT * FROM v%d" % i, of_rows(query)):
                script += ["SELECT %d AS mark" % mark, text]
                mark += 1
        script.append("SELECT -1 AS mark")
    with tempfile.TemporaryDirectory(prefix="leat-equivalence-") as folder:
        path = os.path.join(folder, "queries.sql")
        with open(path, "w") as out:
            out.write(";\n".join(script) + ";\n")
        done = subprocess.run([program, "--keep-going", "--format", "jsonl", path], cwd=folder, capture_output=True, text=True)
    answers = [collections.Counter() for _ in range(mark)]
    at = -1
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if list(row) == ["mark"]:
            at = row["mark"]
        elif at >= 0:
            answers[at][tuple(row.values())] += 1
    return answers, done.stderr
