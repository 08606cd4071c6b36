#!/usr/bin/env python3
"""The NEXMARK queries as materialized views over streams of JSON Lines, against the digests of bench/workloads/expected.tsv.

    standing.py BUILD FOLDER [QUERY]...

BUILD is a build folder; data and checkpoints go to FOLDER, which is written anew. Every query takes the rows in one batch,
in a hundred, and in ten with an end of the process and a start from its checkpoint in the middle.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench", "harness"))

import answers  # noqa: E402  (its folder is named just above)
import engines  # noqa: E402
import jobs  # noqa: E402
import measure  # noqa: E402

DATA_SET = "nx-s"
FILES = 100  # of each table; every file is a slice of event time
TABLES = ("person", "auction", "bid")


class Test:
    def __init__(self, build, folder, wanted):
        self.programs = {"inside": os.path.join(build, "bench", "inside")}
        self.folder = folder
        self.core = str(max(os.sched_getaffinity(0)))
        self.queries = [q for q in engines.nexmark_queries(DATA_SET) if not wanted or q[0] in wanted]
        self.failures = []
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        subprocess.run([sys.executable, os.path.join(engines.WORKLOADS, "nexmark_gen.py"), "--quiet", "--out", self.path("all"),
                        "--files", str(FILES)] + engines.nexmark_arguments(DATA_SET), check=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def script(self, text):
        path = self.path("script.sql")
        with open(path, "w") as file:
            file.write(text)
        return path

    def files_add(self, way, first, last):
        """Slices first .. last - 1 of every table land in the folders of `way`."""
        for table in TABLES:
            os.makedirs(self.path(way, table), exist_ok=True)
            for number in range(first + 1, last + 1):
                name = "%s-%05d.jsonl" % (table, number)
                os.link(self.path("all", name), self.path(way, table, name))

    def tables(self, way, files_per_batch):
        lines = ["SET TIME ZONE 'UTC';"]
        for name, columns in jobs.NEXMARK_COLUMNS.items():
            path = self.path("all", "side_input.jsonl") if name not in TABLES else self.path(way, name)
            options = ", maxFilesPerTrigger %d" % files_per_batch if files_per_batch and name in TABLES else ""
            lines.append("CREATE %s %s (%s) USING json OPTIONS (path %s%s);" % (
                "STREAM" if name in TABLES else "TABLE", name, ", ".join("%s %s" % c for c in columns), engines.quoted(path), options))
        return "\n".join(lines)

    def views_run(self, way, files_per_batch, is_last=True):
        """A process: every query takes what is there; its rows are compared if nothing comes any more."""
        with measure.Worker(self.programs, "leat", 1, self.core) as worker:
            worker.ask("script", self.script(self.tables(way, files_per_batch)))
            for name, query, formats in self.queries:
                try:
                    checkpoint = ", checkpointLocation = %s" % engines.quoted(self.path(way, "checkpoint", name))
                    worker.ask("script", self.script(
                        "CREATE MATERIALIZED VIEW v_%s WITH (trigger = 'availableNow'%s) AS %s;\nAWAIT TERMINATION v_%s;" % (
                            name, checkpoint if way == "restart" else "", query, name)))
                    if is_last:
                        worker.ask("answer", self.script("SELECT * FROM v_%s" % name), self.path("answer"))
                        self.compare(way, name, answers.digest_expected(self.path("answer"), formats))
                except measure.Failure as failure:
                    self.fail(way, name, str(failure))

    def compare(self, way, name, answer):
        expected = engines.expected(DATA_SET, name)
        if answer != expected:
            self.fail(way, name, "%s instead of %s" % (answer, expected))

    def fail(self, way, name, text):
        print("FAIL  %s, %s: %s" % (name, way, text), flush=True)
        self.failures.append(name)

    def run(self):
        self.files_add("one batch", 0, FILES)
        self.views_run("one batch", 0)
        self.files_add("a hundred batches", 0, FILES)
        self.views_run("a hundred batches", 1)
        self.files_add("restart", 0, FILES // 2)
        self.views_run("restart", FILES // 10, is_last=False)
        self.files_add("restart", FILES // 2, FILES)
        self.views_run("restart", FILES // 10)
        print("%d queries, 3 ways: %d failures" % (len(self.queries), len(self.failures)))
        return 1 if self.failures or not self.queries else 0


if __name__ == "__main__":
    sys.exit(Test(sys.argv[1], sys.argv[2], sys.argv[3:]).run())
