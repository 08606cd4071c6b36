# errors: the first line alone is enough; the caret stands under the mistake; nothing of it on standard output.
. "$(dirname "$0")/check.sh"

printf 'CREATE TABLE events (event STRING, amount INT);\n\nSELECT sum(amout) AS total FROM events;\n' >daily.sql
run daily.sql
expect_code 1
expect_out ''
expect_err_has 'daily.sql:3:12: error: [UNRESOLVED_COLUMN.WITH_SUGGESTION] '
expect_err_has 'SQLSTATE: 42703'
expect_err_has '  3 | SELECT sum(amout) AS total FROM events;'
expect_err_has '    |            ^^^^^'

# Wide characters and tabs before the mistake do not move the caret.
printf "SELECT '東京',\tnope;\n" >wide.sql
run wide.sql
expect_err_has "  1 | SELECT '東京', nope;"
expect_err_has '    |                ^^^^'
expect_err_has 'wide.sql:1:14:'

run -c 'SELECT 1 AS x; SELECT CAST('"'abc'"' AS INT)'
expect_code 1
expect_out 'x
1'
expect_err_has '[CAST_INVALID_INPUT]'
expect_err_has 'SQLSTATE: 22018'

run -c 'SELEC 1'
expect_code 1
expect_err_has '[PARSE_SYNTAX_ERROR]'
expect_err_has '    | ^^^^^'

run --errors json -c 'SELECT nope'
expect_code 1
expect_err_has '"condition":"UNRESOLVED_COLUMN'
expect_err_has '"sqlstate":"42703","source":"-c","line":1,"column":8'

finish
