# scripts: statements end where the lexer says; a script stops at its first error with its place and exit code.
. "$(dirname "$0")/check.sh"

cat >a.sql <<'SQL'
SELECT 'a;b' AS x;
SELECT 'it''s; -- not a comment' AS x;
SELECT 1 AS `odd;name`; SELECT 2 AS x -- comment; with semicolon
;
/* block; comment ' with quote */ SELECT '/* text */' AS x;
SELECT 'two
lines;' AS x;
SQL
for way in file stdin; do
    if [ $way = file ]; then run --format jsonl a.sql; else run_with a.sql --format jsonl; fi
    expect_code 0
    expect_err ''
    expect_out '{"x":"a;b"}
{"x":"it'"'"'s; -- not a comment"}
{"odd;name":1}
{"x":2}
{"x":"/* text */"}
{"x":"two\nlines;"}'
done

printf 'SELECT 1 AS x;\nSELECT nope AS x;\nSELECT 3 AS x;\n' >b.sql
run b.sql
expect_code 1
expect_out 'x
1'
expect_err_has 'b.sql:2:8: error: [UNRESOLVED_COLUMN'
run_with b.sql
expect_code 1
expect_err_has 'stdin:2:8: error:'
run -c "$(cat b.sql)"
expect_code 1
expect_out 'x
1'
expect_err_has -c:2:8:

run --keep-going b.sql
expect_code 1
expect_out 'x
1
x
3'

run nofile.sql
expect_code 3
expect_out ''
expect_err_has 'nofile.sql'

run -c 'SELECT 4 AS x'
expect_out 'x
4'

printf -- '-- first line\n\n/* block\n over lines */\nSELECT 1 AS x; -- after\n-- before\nSELECT 2 AS x\n-- inside\n;\n;;\n-- last line, no newline' >c.sql
run --format jsonl c.sql
expect_code 0
expect_out '{"x":1}
{"x":2}'
printf -- '-- only a comment' >d.sql
run d.sql
expect_code 0
expect_out ''
: >e.sql
run e.sql
expect_code 0
run_with e.sql
expect_code 0
expect_out ''
printf '\357\273\277SELECT 5 AS x;\r\n' >f.sql
run --format jsonl f.sql
expect_code 0
expect_out '{"x":5}'
run_with f.sql --format jsonl
expect_out '{"x":5}'
printf 'SELECT 6 AS x; /* never closed\n' >g.sql
run g.sql
expect_code 1
expect_err_has 'g.sql:1:16'

printf 'SELECT \377 AS x' >h.sql
run h.sql
expect_code 1
expect_err_has INVALID_ENCODING
printf 'SELECT 1 AS x;\nSELECT 1\000 AS x' >i.sql
run i.sql
expect_code 1
expect_err_has i.sql:2
printf '\377\376S\000' >j.sql
run j.sql
expect_code 1
expect_err_has UTF-16

# -c, -f and FILE run in the order given; one session for all.
printf 'INSERT INTO t VALUES (1);' >one.sql
run --format jsonl -c 'CREATE TABLE t (a INT)' -f one.sql one.sql -c 'SELECT count(*) AS n FROM t'
expect_code 0
expect_out '{"n":2}'

# Statements of standard input run as they arrive: the second reads what the first wrote to a pipe's other side.
mkfifo pipe
"$LEAT" --format jsonl <pipe >out.jsonl 2>/dev/null &
exec 3>pipe
printf 'SELECT 1 AS x;\nSELECT' >&3
tries=0
while [ ! -s out.jsonl ] && [ $tries -lt 200 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
[ "$(cat out.jsonl)" = '{"x":1}' ] || fail 'the first statement waits for the end of standard input'
printf ' 2 AS x' >&3
exec 3>&-
wait
[ "$(tail -1 out.jsonl)" = '{"x":2}' ] || fail 'the last statement, without its semicolon'

finish
