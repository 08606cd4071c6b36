"""What is no query over a file: the start of a process, a restart, and the programs that measure a small batch."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import answers
import engines
import measure

STARTS = 40
RESTART_GROUPS = 1000000
TPCH_PARTS = 10  # batches of a thousandth of the rows each
TPCH_FACTORS = (1, 5)  # times the rows; more than once only where the job is named: 5 GB of memory
# The programs that measure by themselves; each line is one run of them.
PROGRAMS = {
    "latency": ("--keys 5", "--keys 5 --driver poll", "--keys 5 --checkpoint", "--keys 1000000 --files 200 --mode update",
                "--keys 1000000 --files 200 --mode update --checkpoint"),
    "flat_cost": tuple("batch --groups %d --mode %s%s" % (groups, mode, checkpoint) for mode in ("none", "complete", "update")
                       for checkpoint in ("", " --checkpoint") for groups in (10000, 1000000, 10000000)) +
    ("files --files 10000 --rows 1", "files --files 10000 --rows 100", "idle --files 10000", "restart --groups 1000000"),
}


def selected(options, name):
    if options.jobs:
        return any(word == name or word.lower() in name for word in options.jobs)
    return not options.quick or name == "start"


def run_all(run, options):
    for name, function in (("start", start), ("restart", restart), ("tpch_batches", tpch_batches)):
        if selected(options, name):
            try:
                function(run)
            except (measure.Failure, subprocess.CalledProcessError) as failure:
                print("FAIL  %s: %s" % (name, str(failure)[:300]))
                run.failures.append(name)
    for name in PROGRAMS:
        if selected(options, name.split("_")[0]):
            program_lines(run, name)


def figures(run, name, engine, taken):
    """Emits one record of a list of (wall, cpu, peak)."""
    record = {"job": name, "group": "start", "engine": engine, "version": run.versions.get(engine, ""), "processes": len(taken)}
    for index, figure in enumerate(("wall", "cpu")):
        values = [took[index] for took in taken]
        record["whole_%s_min" % figure], record["whole_%s_median" % figure] = min(values), statistics.median(values)
    record["peak_bytes"] = max(took[2] for took in taken)
    run.emit(record)
    print("%-34s %-8s CPU min %.2f median %.2f ms, wall median %.2f ms, peak %.1f MB" % (
        name, engine, 1000 * record["whole_cpu_min"], 1000 * record["whole_cpu_median"], 1000 * record["whole_wall_median"],
        record["peak_bytes"] / 1e6))


def start(run):
    """SELECT 1 from nothing: the answer is checked once, then the processes take turns."""
    commands = {"leat": [run.programs["leat"], "-c", "SELECT 1"]}
    if shutil.which("sqlite3") and "sqlite3" in run.options.peers:
        commands["sqlite3"] = ["sqlite3", ":memory:", "SELECT 1"]
    if run.version("duckdb") and "duckdb" in run.options.peers:
        commands["duckdb"] = [sys.executable, "-c", "import duckdb; print(duckdb.sql('SELECT 1').fetchall()[0][0])"]
    for engine, command in commands.items():
        said = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.split()
        if not said or said[-1] != "1":
            raise measure.Failure("%s says %s" % (engine, said))
    taken = {engine: [] for engine in commands}
    for _ in range(STARTS):
        for engine, command in commands.items():
            taken[engine].append(measure.process_once(run.programs, run.core, command, run.folder))
    for engine in commands:
        figures(run, "SELECT 1, cold", engine, taken[engine])


def restart(run):
    """A session and a query with 1 M groups in the checkpoint: opened, asked for one figure, closed."""
    groups = max(int(RESTART_GROUPS * run.scale), 1000)
    folder = os.path.join(run.folder, "restart")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "in"))
    subprocess.run([run.programs["generate_rows"], os.path.join(folder, "in", "1.json"), "-", "shape=lookup", "rows=%d" % groups,
                    "keys=%d" % groups, "seed=%d" % run.seed], check=True)
    script = run.script("restart.sql", """
CREATE STREAM s (event STRING, label STRING) USING json OPTIONS (path '{0}/in');
CREATE MATERIALIZED VIEW totals WITH (trigger = 'availableNow', checkpointLocation = '{0}/checkpoint')
AS SELECT event, count(*) AS n FROM s GROUP BY event;
AWAIT TERMINATION totals;
SELECT count(*) AS groups, sum(n) AS n FROM totals;
""".format(folder))
    command = [run.programs["leat"], "--threads", "0", "--format", "csv", "-f", script]

    def answer():
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.stdout.split() != ["groups,n", "%d,%d" % (groups, groups)]:
            raise measure.Failure("the answer is %r (%s)" % (done.stdout[:100], done.stderr[:200]))
    answer()  # builds the checkpoint
    answer()  # and is right after a restart
    kept, _ = measure.rounds(run.scan, {"leat": lambda: measure.process_once(run.programs, run.core, command, run.folder)}, run.rounds)
    figures(run, "restart, %d groups" % groups, "leat", kept["leat"])


def tpch_batches(run):
    """Each TPC-H query as a view that stands: the CPU of a batch of 0.1 % more rows of all tables against the query itself."""
    for factor in TPCH_FACTORS if run.options.jobs or run.options.large else TPCH_FACTORS[:1]:
        for number in range(1, 23):
            name = "TPC-H q%d, 0.1 %% more rows" % number + (" of %d times as many" % factor if factor > 1 else "")
            try:
                tpch_view(run, number, factor, name)
            except measure.Failure as failure:
                print("FAIL  tpch_batches, %s: %s" % (name, str(failure)[:200]), flush=True)
                run.failures.append("tpch_batches, " + name)


def tpch_view(run, number, factor, name):
    """The view reads streams that the host feeds (leat_stream_append), the query tables in memory: no side decodes files.
    What is measured of a batch is all of it: the rows taken in, read, folded, and the view's table as it then is."""
    folder, query = run.tpch_of(factor), engines.tpch_query(number)
    tables = engines.tpch_tables(folder)
    used = [table for table in tables if re.search(r"\b%s\b" % table, query)]
    of_streams = re.sub(r"\b(%s)\b" % "|".join(tables), r"s_\1", query)
    setup = []
    for table in used:
        typed = ", ".join("%s %s" % column for column in tables[table])
        setup += ["CREATE TABLE f_%s (%s) USING csv OPTIONS (path '%s', header true)" % (
                      table, typed, os.path.join(folder, table, "part.csv")),
                  "CREATE TABLE n_%s AS SELECT *, CAST(floor(rand(%d) * 1000) AS INT) AS part FROM f_%s" % (table, number, table),
                  "CREATE TABLE %s AS SELECT * EXCEPT (part) FROM n_%s WHERE part >= %d" % (table, table, TPCH_PARTS),
                  "CREATE STREAM s_%s (%s) WITH (connector = 'memory')" % (table, typed)]
    setup += ["CREATE MATERIALIZED VIEW answer AS " + of_streams]
    setup += ["INSERT INTO s_%s SELECT * FROM %s" % (table, table) for table in used] + ["PROCESS ALL AVAILABLE"]

    def script(file, statements):
        return run.script(file, "".join(statement + ";\n" for statement in statements))
    base, asked, process = script("setup.sql", setup), script("query.sql", [query]), script("process.sql", ["PROCESS ALL AVAILABLE"])
    follow = script("follow.sql", ["INSERT INTO %s SELECT * EXCEPT (part) FROM n_%s WHERE part = %d" % (table, table, k)
                                   for table in used for k in range(TPCH_PARTS)])
    taken, formats = {"query": [], "batch": []}, "n" * engines.tpch_columns(number)
    with measure.Worker(run.programs, "leat", 1, run.core) as worker:
        worker.ask("script", base)
        worker.ask("query", asked)
        for k in range(TPCH_PARTS):
            taken["query"].append(worker.ask("query", asked)[1])
            for table in used:
                worker.ask("hold", script("hold.sql", ["SELECT * EXCEPT (part) FROM n_%s WHERE part = %d" % (table, k)]), "s_" + table)
            taken["batch"].append(worker.ask("feed", process)[1])
        worker.ask("script", follow)
        digests = []
        for text in (query, "SELECT * FROM answer"):
            path = os.path.join(run.folder, "answer")
            worker.ask("answer", script("asked.sql", [text]), path)
            digests.append(answers.digest(path, formats, run.programs["digest"]))
    if digests[0] != digests[1]:
        raise measure.Failure("the view has %s, the query says %s" % (digests[1], digests[0]))
    record = {"job": name, "group": "tpch batches", "engine": "leat", "processes": 1, "query": number, "factor": factor}
    for side, values in taken.items():
        record[side + "_cpu_min"], record[side + "_cpu_median"] = min(values), statistics.median(values)
    record["ratio"] = record["query_cpu_median"] / record["batch_cpu_median"]
    run.emit(record)
    print("%-50s batch %.2f ms, query %.2f ms of CPU: %.1fx" % (
        record["job"], 1000 * record["batch_cpu_median"], 1000 * record["query_cpu_median"], record["ratio"]), flush=True)


def program_lines(run, name):
    """A program of bench/ that measures by itself and prints JSON lines. It needs both cores: one puts, one takes."""
    for arguments in PROGRAMS[name]:
        try:
            done = subprocess.run([run.programs["process"], run.cores_two, os.path.join(run.folder, "measured"),
                                   run.programs[name]] + arguments.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  cwd=run.folder, timeout=120)
            failed = done.stderr.strip() if done.returncode != 0 else ""
        except subprocess.TimeoutExpired:
            failed = "more than 120 s"
        if failed:
            print("FAIL  %s %s: %s" % (name, arguments, failed[:200]), flush=True)
            run.failures.append(name + " " + arguments)
            continue
        if not done.stdout:
            print("FAIL  %s %s: %s" % (name, arguments, done.stderr.strip()[:200]), flush=True)
            run.failures.append(name + " " + arguments)
        for line in done.stdout.splitlines():
            record = {**json.loads(line), "job": name, "group": name, "engine": "leat", "figure": arguments}
            run.emit(record)
            print("%s %s: %s" % (name, arguments, line), flush=True)
