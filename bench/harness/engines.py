"""How each engine is told of a job's tables, and where the workloads' queries and digests are."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TPCH = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests", "tpch")
WORKLOADS = os.path.join(os.path.dirname(HERE), "workloads")

TYPES = {
    "duckdb": {"STRING": "VARCHAR"},
    "chdb": {"STRING": "String", "BIGINT": "Int64", "DOUBLE": "Float64", "BOOLEAN": "Bool", "TIMESTAMP": "DateTime64(3, 'UTC')"},
    "polars": {"STRING": "String", "BIGINT": "Int64", "DOUBLE": "Float64", "BOOLEAN": "Boolean", "TIMESTAMP": "String"},
}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def table(engine, name, columns, path, is_csv, is_folder, nullable, is_stream):
    """The statement that declares the rows of `path` as table `name`; for leat as a stream, if wanted."""
    extension = "csv" if is_csv else "json"
    files = os.path.join(path, "*." + extension) if is_folder else path
    types = TYPES.get(engine, {})
    typed = [(column, types.get(kind, kind)) for column, kind in columns]
    if engine == "leat":
        options = "path %s" % quoted(path) + (", header 'true'" if is_csv else "")
        return "CREATE %s %s (%s) USING %s OPTIONS (%s);" % (
            "STREAM" if is_stream else "TABLE", name, ", ".join("%s %s" % c for c in typed), extension, options)
    if engine == "pyspark":
        options = "path %s" % quoted(path) + (", header 'true'" if is_csv else "")
        return "CREATE TEMPORARY VIEW %s (%s) USING %s OPTIONS (%s);" % (
            name, ", ".join("%s %s" % c for c in typed), extension, options)
    if engine == "duckdb":
        columns = "{%s}" % ", ".join("%s: %s" % (c, quoted(t)) for c, t in typed)
        reader = "read_csv(%s, columns = %s, header = true)" if is_csv else \
            "read_json(%s, columns = %s, format = 'newline_delimited')"
        return "CREATE VIEW %s AS SELECT * FROM %s;" % (name, reader % (quoted(files), columns))
    if engine == "chdb":
        columns = ", ".join("%s %s" % (c, "Nullable(%s)" % t if nullable else t) for c, t in typed)
        return "CREATE VIEW %s AS SELECT * FROM file(%s, '%s', %s);" % (
            name, quoted(files), "CSVWithNames" if is_csv else "JSONEachRow", quoted(columns))
    if engine == "polars":
        schema = "{%s}" % ", ".join("%r: polars.%s" % c for c in typed)
        return "register(%r, polars.scan_%s(%r, schema=%s))" % (name, "csv" if is_csv else "ndjson", files, schema)
    if engine == "sqlite3":
        return "table(%r, %r, %r, %r)" % (name, [c for c, _ in columns], path, is_csv)
    raise ValueError(engine)


def setup(engine, job, paths, rows):
    """All that comes before the query. `paths`: table name -> (path, is_csv, is_folder)."""
    lines = ["SET TIME ZONE 'UTC';"] if engine == "leat" else []
    for name, (path, is_csv, is_folder) in paths.items():
        lines.append(table(engine, name, job.columns[name], path, is_csv, is_folder, job.nullable,
                           job.standing and name not in job.still))
    if job.tpch:
        lines += ["CREATE TABLE %s AS SELECT * FROM %s;" % (name[len("file_"):], name) for name in paths]
    behind = job.setup.get(engine, job.setup.get("", ""))
    if behind:
        groups = re.search(r"([\d]+) ?([kM]?) groups", job.name)
        count = int(groups.group(1)) * {"": 1, "k": 1000, "M": 1000000}[groups.group(2)] if groups else 0
        lines.append(behind.format(rows=rows, groups=count))
    return "\n".join(lines) + "\n"


def nexmark_queries(data_set):
    """(name, query, formats) of each query with an answer over the data set."""
    with open(os.path.join(WORKLOADS, "queries.sql")) as file:
        parts = re.split(r"^-- (\w+)$", file.read(), flags=re.M)
    texts = {name: text.strip().rstrip(";") for name, text in zip(parts[1::2], parts[2::2])}
    for fields in expected_lines():
        if fields[0] == data_set and fields[3] != "-":
            yield fields[1], texts[fields[1]], fields[4].replace(",", "")


def expected_lines():
    with open(os.path.join(WORKLOADS, "expected.tsv")) as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(fields) == 5:
                yield fields


def expected(data_set, query):
    """(rows, digest) of expected.tsv."""
    return next((int(f[2]), f[3]) for f in expected_lines() if f[:2] == [data_set, query])


def nexmark_arguments(data_set):
    with open(os.path.join(WORKLOADS, "expected.tsv")) as file:
        line = next(line for line in file if line.startswith("# %s:" % data_set))
    return line.split("nexmark_gen.py", 1)[1].split()


def nexmark_events(data_set):
    arguments = nexmark_arguments(data_set)
    return int(arguments[arguments.index("--events") + 1])


def tpch_query(number):
    with open(os.path.join(TPCH, "queries", "q%02d.sql" % number)) as file:
        return file.read().strip().rstrip(";")


def tpch_columns(number):
    """How many columns the answer has."""
    with open(os.path.join(TPCH, "answers", "q%02d.tsv" % number)) as file:
        return len(file.readline().split("\t"))


def tpch_tables(folder):
    """table -> ((name, type), ..), as `tpch_queries generate` has written them."""
    with open(os.path.join(folder, "tables")) as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        return {name: tuple(tuple(column.split(" ", 1)) for column in columns.split(", ")) for name, columns in rows}
