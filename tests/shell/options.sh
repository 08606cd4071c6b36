# options: all options are read before anything runs; what is not understood is refused with what was probably meant.
. "$(dirname "$0")/check.sh"

run -c 'SELECT 1 AS x' --format jsonl
expect_code 0
expect_out '{"x":1}'

run -jsonl -c 'SELECT 1 AS x' # one-dash form of a format
expect_out '{"x":1}'

run --format=jsonl -c 'SELECT 1 AS x' -c 'SELECT 2 AS x'
expect_out '{"x":1}
{"x":2}'

run --formt csv
expect_code 2
expect_out ''
expect_err_has '--format'

run --format cvs
expect_code 2
expect_err_has 'did you mean `csv`'

run -c
expect_code 2

run --color blue -c 'SELECT 1'
expect_code 2
expect_err_has 'auto always never'

run --timeout soon -c 'SELECT 1'
expect_code 2

run --help
expect_code 0
expect_out_has '--keep-going'
expect_err ''

run --version
expect_code 0
expect_out_has 'leat 0.1.0'
run --version --format json
expect_out_has '"version":"0.1.0"'

# Values are bound, never pasted into the text.
run --format jsonl --param who="it's; -- x" --param n=2 -c 'SELECT :who AS who' -c 'SELECT id FROM range(9) LIMIT :n'
expect_code 0
expect_out "{\"who\":\"it's; -- x\"}
{\"id\":0}
{\"id\":1}"

run -c 'SELECT :nobody'
expect_code 1
expect_err_has 'UNBOUND_SQL_PARAMETER'

run --format jsonl --set timeZone=Europe/Berlin -c "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00Z' AS STRING) AS t"
expect_code 0
expect_out '{"t":"2024-01-01 01:00:00"}'

run --set noSuchKey=1 -c 'SELECT 1'
expect_code 1
expect_out ''

run --rows 2 --format jsonl -c 'SELECT id FROM range(100000)'
expect_code 0
expect_out '{"id":0}
{"id":1}'

run -o out.jsonl --format jsonl -c 'SELECT 1 AS x'
expect_code 0
expect_out ''
[ "$(cat out.jsonl)" = '{"x":1}' ] || fail 'out.jsonl'

run -o no/such/folder -c 'SELECT 1'
expect_code 3

# --check binds everything and writes nothing.
run --check -c 'CREATE TABLE t (a INT); SELECT a FROM t; COPY (SELECT 1 AS x) TO '"'f.json'"' (FORMAT json)'
expect_code 0
expect_out ''
[ ! -e f.json ] || fail '--check wrote a file'
run --check -c 'CREATE TABLE t (a INT); SELECT b FROM t'
expect_code 1
expect_err_has 'UNRESOLVED_COLUMN'
cat >checked.sql <<'SQL'
CREATE TABLE t (a INT);
-- a comment before it
INSERT INTO t SELECT nope FROM t;
STOP QUERY q;
CREATE STREAM s (v INT) WITH (connector = 'memory');
CREATE MATERIALIZED VIEW q AS SELECT v FROM s;
PROCESS ALL AVAILABLE q;
STOP QUERY p;
DELETE FROM t;
SQL
run --check --keep-going checked.sql
expect_code 1
expect_err_has 'checked.sql:3:22: error: [UNRESOLVED_COLUMN.WITH_SUGGESTION]'
expect_err_has '    |                      ^^^^'
expect_err_has 'checked.sql:4:12: error: [QUERY_NOT_FOUND]'
expect_err_has 'checked.sql:8:12: error: [QUERY_NOT_FOUND] no standing query `p`; did you mean `q`?'
expect_err_has 'checked.sql:9:1: error: [UNSUPPORTED_FEATURE.TABLE_OPERATION]'
[ "$(grep -c 'error:' "$folder/stderr")" -eq 4 ] || fail 'other errors than these'

# Help about a word, and what nothing is known about.
run --help sum
expect_code 0
expect_out_has 'Function: sum'
run -h divide_by_zero
expect_code 0
expect_out_has 'DIVIDE_BY_ZERO                   SQLSTATE 22012'
run --help jsonl
expect_code 0
expect_out_has 'formats of results:'
run --help=explain
expect_code 0
expect_out_has 'EXPLAIN [ANALYZE] QUERY name'
run --help lateRowTest
expect_code 0
expect_out_has 'settings:'
run --help maxFilesPerTrigger
expect_code 0
expect_out_has 'of files: '
run --help nonsense
expect_code 2
expect_err_has 'nothing is known about `nonsense`'

# SQL from strangers reaches no file, no folder, no variable; what the command line names is read and written.
printf '{"a":1}\n' >data.jsonl
run --safe -c 'SELECT * FROM json.`data.jsonl`'
expect_code 3
expect_err_has 'not permitted'
run --safe -c "COPY (SELECT 1 AS x) TO 'out.json' (FORMAT json)"
expect_code 3
[ ! -e out.json ] || fail 'COPY wrote a file under --safe'
run --safe -c "CREATE STREAM s (a INT) USING json OPTIONS (path '.'); CREATE MATERIALIZED VIEW q WITH (checkpointLocation = 'ck') AS SELECT * FROM s; PROCESS ALL AVAILABLE"
expect_code 3
[ ! -e ck ] || fail 'a checkpoint was made under --safe'
HOME=$folder run --safe -c "CREATE STREAM s (a INT) USING json OPTIONS (path '\${HOME}')"
[ $code -ne 0 ] || fail 'a variable of the environment is read under --safe'
run --safe -c '.read data.jsonl'
expect_code 1
expect_err_has '.read is not permitted under --safe'
run_with data.jsonl --safe -o result.csv -c 'SELECT a, TIMESTAMP '"'2024-07-01 12:00:00 Europe/Berlin'"' AS t FROM json.`-`'
expect_code 0
[ "$(cat result.csv)" = 'a,t
1,2024-07-01 10:00:00' ] || fail 'standard input, time zones and -o work under --safe'

finish
