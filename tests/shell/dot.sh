# dot: commands of the shell in scripts: whole names, their place in errors, no SQL inside.
. "$(dirname "$0")/check.sh"

cat >a.sql <<'SQL'
-- a comment before a command
.format csv
.headers off
.null nil
SELECT 1 AS x, NULL AS n;
.print that was it
.once one.csv
SELECT 2 AS x;
SELECT 3 AS x;
.output two.csv
SELECT 4 AS x;
SELECT 5 AS x;
.output
.format jsonl
SELECT 6 AS x; .print on the same line
SQL
run a.sql
expect_code 0
expect_err ''
expect_out '1,nil
that was it
3
{"x":6}
on the same line'
[ "$(cat one.csv)" = 2 ] || fail 'one.csv'
[ "$(cat two.csv)" = '4
5' ] || fail 'two.csv'

printf 'SELECT 1 AS x;\n.tabels\nSELECT 2 AS x;' >b.sql
run b.sql
expect_code 1
expect_out 'x
1'
expect_err_has 'b.sql:2: no command `.tabels`; did you mean `.tables`?'

run -c '.quit 7
SELECT 1'
expect_code 7
expect_out ''

printf 'SELECT 9 AS x;\n' >inner.sql
run -c '.read inner.sql'
expect_code 0
expect_out 'x
9'
printf '.read self.sql\n' >self.sql
run self.sql
expect_code 1
expect_err_has '20 deep'

run -c '.cd --temporary
.mkdir a/b
.cd a
.cd -
COPY (SELECT 1 AS x) TO '"'here.json'"' (FORMAT json);'
expect_code 0
[ -f here.json ] || fail '.cd - does not come back'

run -c '.help timer'
expect_code 0
expect_out_has '.timer on|off'

run -c 'CREATE TABLE t (a INT);
.tables
.schema t
.tables LEAT_B*'
expect_code 0
expect_out_has t,TABLE,1
expect_out_has a,int,
expect_out_has 'leat_bad_rows,SYSTEM TABLE,7'

finish
