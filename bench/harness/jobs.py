"""What is measured: each job is its data, its tables, one query, and who can run it.

A job's query is the same text for all engines but for those named in `texts`. Its answer is compared with the truth of the
generator (`truth`), with the recorded digest (`expected`), or with the first peer that can run it; `formats` says how a
column is rendered for that: i, s, t as they are, d a decimal with 3 digits, f a double with 9 digits.
"""

import dataclasses

import engines


@dataclasses.dataclass
class Data:
    """Rows of generate_rows; `rows` are those of a full run."""
    rows: int
    options: tuple = ()
    csv: bool = False
    files: int = 0
    keys_follow_rows: bool = False  # a lookup: as many rows as keys


@dataclasses.dataclass
class Job:
    name: str
    group: str
    query: str
    formats: str
    data: dict = dataclasses.field(default_factory=dict)     # table name -> Data
    columns: dict = dataclasses.field(default_factory=dict)  # table name -> ((name, type), ..)
    setup: dict = dataclasses.field(default_factory=dict)    # engine or "": SQL behind the tables; {rows}
    texts: dict = dataclasses.field(default_factory=dict)    # engine -> another text of the query; None: it cannot
    truth: bool = False                                      # the generator's sums by key are the answer
    nullable: bool = False
    check: str = ""                                          # a query over the query's result that is compared instead
    rows: int = 0                                            # where there is no file: rows of a full run
    threads: int = 1
    mawk: str = ""                                           # the program for mawk, over the lines of table `rows`
    nexmark: str = ""                                        # data set of expected.tsv
    tpch: int = 0                                            # number of the query
    quick: bool = False                                      # part of --quick
    large: bool = False                                      # only by name or with --large
    standing: bool = False                                   # leat reads a stream and keeps a materialized view
    still: tuple = ()                                        # tables that are no streams even then

    def text(self, engine):
        return self.texts.get(engine, self.query)


STANDING = """CREATE OR REPLACE MATERIALIZED VIEW answer WITH (trigger = 'availableNow') AS %s;
AWAIT TERMINATION answer;
SELECT * FROM answer"""
KEYS_SUM = "SELECT event, sum(amount) AS total FROM rows GROUP BY event"
PAIR = (("event", "STRING"), ("amount", "BIGINT"))
EVENT = PAIR + (("user_id", "BIGINT"), ("ts", "TIMESTAMP"), ("is_test", "BOOLEAN"), ("page", "STRING"))
HUNDREDS = tuple(("c%d" % i, ("BIGINT", "STRING", "DOUBLE", "BOOLEAN")[i % 4] if i != 7 else "STRING") for i in range(200))
TWENTY = HUNDREDS[:20]
MAWK = r'''{ match($0, /"event":"[^"]*"/); key = substr($0, RSTART + 9, RLENGTH - 10);
match($0, /"amount":[0-9]+/); total[key] += substr($0, RSTART + 9, RLENGTH - 9) }
END { for (key in total) printf "%s\t%d\n", key, total[key] }'''


def grouped(name, group, rows, *options, **more):
    data = Data(rows, options, csv=more.pop("csv", False), files=more.pop("files", 0))
    return Job(name, group, KEYS_SUM, "si", {"rows": data}, {"rows": more.pop("columns", PAIR)}, truth=True, **more)


def over_events(name, query, formats, **more):
    data = Data(2000000, ("shape=event", "keys=100000"))
    return Job(name, "other", query, formats, {"rows": data}, {"rows": EVENT}, **more)


def main_jobs():
    for shape, width, rows in (("pair", 37, 5000000), ("user", 54, 4000000), ("event", 149, 2000000), ("wide", 979, 400000)):
        for keys, label in ((5, "5 keys"), (100000, "100 k keys"), (5000000, "5 M keys")):
            if keys == 5000000 and shape in ("user", "wide"):
                continue
            count = max(rows, 10000000 // (1 if shape == "pair" else 2)) if keys == 5000000 else rows
            yield grouped("%d B, %s" % (width, label), "main", count, "shape=" + shape, "keys=%d" % keys,
                          mawk=MAWK if shape == "pair" and keys == 5 else "", quick=keys < 5000000 and width in (37, 149))


def standing_jobs():
    for shape, width, rows in (("pair", 37, 5000000), ("event", 149, 2000000)):
        for keys, label in ((5, "5 keys"), (100000, "100 k keys")):
            yield grouped("kept as a view: %d B, %s" % (width, label), "standing", rows, "shape=" + shape, "keys=%d" % keys,
                          standing=True, texts={"leat": STANDING % KEYS_SUM})


def varied_jobs():
    event, few, many = "shape=event", "keys=5", "keys=100000"
    varied = (
        ("one swapped pair", (event, few, "order=swap"), {}),
        ("order per row", (event, few, "order=row"), {"quick": True}),
        ("order per row, 100 k keys", (event, many, "order=row"), {}),
        ("16 orders", (event, few, "order=mixed"), {}),
        ("16 orders, 100 k keys", (event, many, "order=mixed"), {}),
        ("10 % nulls", (event, many, "nulls=10"), {"nullable": True}),
        ("5 % escapes", (event, many, "escapes=5"), {}),
        ("unicode", (event, many, "unicode=1"), {}),
        ("extra fields", (event, few, "extra=100"), {}),
        ("extra fields in 10 %", (event, few, "extra=10"), {}),
        ("Zipf keys", (event, many, "zipf=1"), {}),
        ("spacing", (event, few, "spacing=1"), {}),
        ("all at once", (event, many, "order=mixed", "nulls=10", "escapes=5", "unicode=1", "extra=10", "zipf=1", "spacing=1"),
         {"nullable": True}),
    )
    for name, options, more in varied:
        yield grouped("149 B, " + name, "varied", 2000000, *options, **more)
    yield grouped("37 B, order per row", "varied", 5000000, few, "order=row")


def other_jobs():
    yield over_events("filter, 1 %", "SELECT event, amount FROM rows WHERE amount < 10", "si")
    yield over_events("filter, 50 %", "SELECT event, amount FROM rows WHERE amount < 500", "si")
    yield over_events("filter, 99 %, counted", "SELECT count(*) AS n FROM rows WHERE amount >= 10 AND user_id > 0", "i")
    yield Job("2 of 20 fields", "other", "SELECT c4, c13 FROM rows", "is", {"rows": Data(800000, ("shape=twenty",))},
              {"rows": TWENTY}, quick=True)
    yield Job("2 of 20 fields, summed", "other", "SELECT sum(c4) AS a, sum(c12) AS b FROM rows", "ii",
              {"rows": Data(800000, ("shape=twenty",))}, {"rows": TWENTY})
    yield Job("3 of 200 fields, summed", "other", "SELECT sum(c4) AS a, sum(c100) AS b, max(c197) AS c FROM rows", "iis",
              {"rows": Data(80000, ("shape=hundreds",))}, {"rows": HUNDREDS})
    yield Job("join with 1 M rows", "other",
              "SELECT label, count(*) AS n, sum(amount) AS total FROM rows JOIN lookup ON rows.event = lookup.event GROUP BY label",
              "sii", {"rows": Data(2000000, ("shape=event", "keys=1000000")),
                      "lookup": Data(1000000, ("shape=lookup", "keys=1000000"), keys_follow_rows=True)},
              {"rows": EVENT, "lookup": (("event", "STRING"), ("label", "STRING"))})
    yield grouped("CSV, 5 keys", "other", 3000000, "shape=event", "keys=5", csv=True, columns=EVENT, quick=True)
    yield grouped("CSV, 100 k keys", "other", 3000000, "shape=event", "keys=100000", csv=True, columns=EVENT)
    yield over_events("8 aggregates", "SELECT event, count(*) AS n, sum(amount) AS a, min(amount) AS b, max(amount) AS c, "
                      "avg(amount) AS d, sum(user_id) AS e, min(user_id) AS f, max(user_id) AS g FROM rows GROUP BY event",
                      "siiiifiii")
    yield over_events("windows of 60 s", "SELECT window(ts, '60 seconds').start AS start, count(*) AS n, sum(amount) AS total "
                      "FROM rows GROUP BY window(ts, '60 seconds')", "tii", texts={
                          "duckdb": "SELECT time_bucket(INTERVAL 60 SECONDS, ts) AS start, count(*) AS n, sum(amount) AS total "
                                    "FROM rows GROUP BY 1",
                          "chdb": "SELECT toStartOfInterval(ts, INTERVAL 60 SECOND) AS start, count(*) AS n, "
                                  "sum(amount) AS total FROM rows GROUP BY start",
                          "sqlite3": "SELECT replace(substr(ts, 1, 16), 'T', ' ') || ':00' AS start, count(*) AS n, "
                                     "sum(amount) AS total FROM rows GROUP BY 1",
                          "polars": None})
    yield over_events("top 10", "SELECT event, user_id, amount FROM rows ORDER BY amount DESC, user_id DESC, event LIMIT 10", "sii")
    yield over_events("distinct, 900 k", "SELECT DISTINCT user_id FROM rows", "i")
    yield over_events("sort 2 M rows", "SELECT user_id, amount FROM rows ORDER BY user_id, amount", "ii")
    yield grouped("10,000 files of 100 rows", "other", 1000000, "keys=5", files=10000)
    yield grouped("10,000 files of 1 row", "other", 10000, "keys=5", files=10000)
    yield grouped("149 B, 5 keys, 2 threads", "threads", 4000000, "shape=event", "keys=5", threads=2)
    yield grouped("149 B, 100 k keys, 2 threads", "threads", 4000000, "shape=event", "keys=100000", threads=2)
    yield grouped("37 B, 5 keys, 2 threads", "threads", 5000000, "keys=5", threads=2)


def memory_job(name, key, rows, large=False):
    """Sums by `key`, of id, over a table in memory."""
    return Job("in memory, " + name, "memory", "SELECT k, sum(v) AS total FROM t GROUP BY k", "ii", setup={
        "": "CREATE TABLE t AS SELECT %s AS k, id %% 1000 AS v FROM range({rows}) AS r(id);" % key,
        "leat": "CREATE TABLE t AS SELECT %s AS k, id %% 1000 AS v FROM range({rows});" % key,
        "chdb": "CREATE TABLE t ENGINE = Memory AS SELECT toInt64(%s) AS k, toInt64(id %% 1000) AS v "
                "FROM (SELECT toInt64(number) AS id FROM numbers({rows}));" % key,
        "polars": "t = polars.select(id=polars.int_range({rows})).select(k=%s, v=polars.col('id') %% 1000)\n"
                  "register('t', t)" % key.replace("id", "polars.col('id')"),
        "sqlite3": "execute('''CREATE TABLE t AS WITH RECURSIVE r(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM r "
                   "WHERE id + 1 < {rows}) SELECT %s AS k, id %% 1000 AS v FROM r''')" % key},
        check="SELECT count(*) AS a, sum(total) AS b, sum(total % 100003 * (k % 1009)) AS c FROM ({query}) AS q",
        rows=rows, large=large)


def memory_jobs():
    """Keys in steps, whose groups are found again in the order in which they came; and keys here and there."""
    labels = {2: "100", 3: "1 k", 4: "10 k", 5: "100 k", 6: "1 M", 7: "10 M", 8: "100 M"}
    for exponent, label in labels.items():
        key = "id * 48271 % 2147483647" + ("" if exponent == 8 else " % {groups}")
        yield memory_job(label + " groups", key.replace("{groups}", str(10 ** exponent)),
                         100000000 if exponent == 8 else 20000000, exponent == 8)
    for exponent in (5, 6, 7):
        key = "(id * id %% 2147483647 * 48271 + id) %% 2147483647 %% %d" % 10 ** exponent
        yield memory_job(labels[exponent] + " groups, random", key, 20000000)


NEXMARK_COLUMNS = {
    "person": (("id", "BIGINT"), ("name", "STRING"), ("email_address", "STRING"), ("credit_card", "STRING"), ("city", "STRING"),
               ("state", "STRING"), ("date_time", "TIMESTAMP"), ("extra", "STRING")),
    "auction": (("id", "BIGINT"), ("item_name", "STRING"), ("description", "STRING"), ("initial_bid", "BIGINT"),
                ("reserve", "BIGINT"), ("date_time", "TIMESTAMP"), ("expires", "TIMESTAMP"), ("seller", "BIGINT"),
                ("category", "BIGINT"), ("extra", "STRING")),
    "bid": (("auction", "BIGINT"), ("bidder", "BIGINT"), ("price", "BIGINT"), ("channel", "STRING"), ("url", "STRING"),
            ("date_time", "TIMESTAMP"), ("extra", "STRING")),
    "side_input": (("key", "BIGINT"), ("value", "STRING")),
}
# Spark's spelling in DuckDB's, where it has another; queries that need more are leat's alone.
BUCKET = "time_bucket(INTERVAL 10 SECONDS, date_time)"
DUCKDB_SPELLING = (
    ("date_format(date_time, 'yyyy-MM-dd')", "strftime(date_time, '%Y-%m-%d')"),
    ("date_format(date_time, 'HH:mm')", "strftime(date_time, '%H:%M')"),
    ("SELECT auction, window.start AS starttime, count(*) AS num FROM bid "
     "GROUP BY auction, window(date_time, '10 seconds', '2 seconds')",
     "SELECT auction, starttime, count(*) AS num FROM (SELECT auction, unnest(range("
     "time_bucket(INTERVAL 2 SECONDS, date_time) - INTERVAL 8 SECONDS, "
     "time_bucket(INTERVAL 2 SECONDS, date_time) + INTERVAL 1 SECOND, INTERVAL 2 SECONDS)) AS starttime FROM bid) "
     "GROUP BY auction, starttime"),
    ("window(date_time, '10 seconds')", BUCKET), ("window.start", BUCKET), ("window.end", BUCKET + " + INTERVAL 10 SECONDS"))


def nexmark_jobs(data_set):
    for name, query, formats in engines.nexmark_queries(data_set):
        spelled = " ".join(query.split())
        for ours, theirs in DUCKDB_SPELLING:
            spelled = spelled.replace(ours, theirs)
        yield Job("Nexmark " + name, "nexmark", query, formats, columns=NEXMARK_COLUMNS, nexmark=data_set,
                  texts={"duckdb": spelled, "polars": None, "chdb": None if name not in ("q0", "q1", "q2", "q3") else query},
                  quick=name in ("q0", "q1"))


def nexmark_standing_jobs(data_set):
    """The same queries as views; `side_input` is a table."""
    for job in nexmark_jobs(data_set):
        yield dataclasses.replace(job, name="kept as a view: " + job.name, group="nexmark standing", standing=True, quick=False,
                                  still=("side_input",), texts={**job.texts, "leat": STANDING % job.query})


def tpch_jobs():
    for number in range(1, 23):
        yield Job("TPC-H q%d" % number, "tpch", engines.tpch_query(number), "n" * engines.tpch_columns(number),
                  tpch=number, texts={"polars": None, "chdb": None, "pyspark": None})


def all_jobs(nexmark_set):
    for jobs in (main_jobs(), standing_jobs(), varied_jobs(), other_jobs(), memory_jobs(), nexmark_jobs(nexmark_set),
                 nexmark_standing_jobs(nexmark_set), tpch_jobs()):
        yield from jobs
