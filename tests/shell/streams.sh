# streams: standing queries in scripts, change logs, standard input as data.
. "$(dirname "$0")/check.sh"

mkdir in
printf '{"e":"a","v":1}\n{"e":"b","v":2}\n' >in/1.json
stream="CREATE STREAM s (e STRING, v INT) USING json OPTIONS (path 'in');"

# A query whose trigger ends by itself is awaited at the end of the script.
run -c "$stream CREATE SINK k WITH (connector = 'console', outputMode = 'complete', trigger = 'availableNow') AS SELECT e, sum(v) AS t FROM s GROUP BY e ORDER BY e"
expect_code 0
expect_out '-------------------------------------------
Batch: 0
-------------------------------------------
+---+---+
|  e|  t|
+---+---+
|  a|  1|
|  b|  2|
+---+---+
'

# A memory table alone does not keep a script alive.
run -c "$stream CREATE MATERIALIZED VIEW m AS SELECT * FROM s"
expect_code 0

# A change log: op first, jsonl off a terminal, LIMIT ends it.
run --timeout 20s -c "$stream SELECT e, v FROM s LIMIT 2 EMIT CHANGES"
expect_code 0
expect_out '{"op":"+I","e":"a","v":1}
{"op":"+I","e":"b","v":2}'

# Standard input is data when SQL comes from elsewhere; its end ends the query.
printf '{"n":1}\n{"n":2}\n{"n":3}' >data.jsonl
run_with data.jsonl --timeout 20s --format jsonl -c 'SELECT sum(n) AS total FROM json.`-`'
expect_code 0
expect_out '{"total":6}'
run_with data.jsonl --timeout 20s -c "CREATE STREAM i (n INT) WITH (connector = 'stdin', format = 'json');
  CREATE SINK k WITH (connector = 'stdout', format = 'json', outputMode = 'append') AS SELECT n FROM i"
expect_code 0
expect_out '{"n":1}
{"n":2}
{"n":3}'

# A failing standing query: told once, exit code 1.
printf '{"e":"c","v":0}\n' >in/2.json
run --timeout 20s -c "$stream CREATE SINK k WITH (connector = 'console', trigger = 'availableNow', outputMode = 'append') AS SELECT 1 / v AS q FROM s"
expect_code 1
expect_err_has '[DIVIDE_BY_ZERO]'
[ "$(grep -c DIVIDE_BY_ZERO "$folder/stderr")" -eq 1 ] || fail 'the failure is told more than once'

# What was inferred of files read in place, and what a stream is.
run -c 'DESCRIBE json.`in`'
expect_code 0
expect_out 'col_name,data_type,comment
e,string,
v,bigint,'
run -v -c "$stream"
expect_err_has 'stream s: 2 columns, json from in'

# A checkpoint of another query: told once, the statement that would run the query fails, exit code 4.
run -c "$stream CREATE MATERIALIZED VIEW t WITH (checkpointLocation = 'of_sum') AS SELECT e, sum(v) AS n FROM s GROUP BY e;
  PROCESS ALL AVAILABLE"
expect_code 0
run -c "$stream CREATE MATERIALIZED VIEW t WITH (checkpointLocation = 'of_sum') AS SELECT e, max(v) AS n FROM s GROUP BY e;
  PROCESS ALL AVAILABLE; SELECT 'not reached'"
expect_code 4
expect_out ''
expect_err_has 'choose another checkpointLocation'
[ "$(grep -c SCHEMA_NOT_COMPATIBLE "$folder/stderr")" -eq 1 ] || fail 'the refusal is told more than once'

# Progress for machines: one JSON object per batch, on standard error.
rm in/2.json
run --progress json -c "$stream CREATE MATERIALIZED VIEW m WITH (outputMode = 'append', trigger = 'availableNow') AS SELECT * FROM s; AWAIT TERMINATION m"
expect_code 0
expect_out ''
expect_err_has '"numInputRows":2'

# What the operators of a query did, before, while and after it ran; and of a SELECT, which runs for that.
run -c "$stream CREATE MATERIALIZED VIEW m AS SELECT e, sum(v) AS t FROM s GROUP BY e; EXPLAIN ANALYZE QUERY m;
  PROCESS ALL AVAILABLE; EXPLAIN ANALYZE QUERY m; EXPLAIN ANALYZE SELECT e FROM s WHERE v > 1" --format tsv
expect_code 0
expect_out_has 'Query m: RUNNING, no batch yet'
expect_out_has 'Query m: RUNNING, last batch 0: 2 rows in, '
expect_out_has '  * rows: 2 in, 2 out, '
expect_out_has '  * state: 2 rows, '
expect_out_has '  * rows: 2 in, 1 out, '
run -c 'EXPLAIN ANALYZE QUERY m'
expect_code 1
expect_err_has '[QUERY_NOT_FOUND]'
run -c "$stream EXPLAIN ANALYZE INSERT INTO s SELECT 'a', 1"
expect_code 1
expect_err_has 'EXPLAIN ANALYZE QUERY name'

finish
