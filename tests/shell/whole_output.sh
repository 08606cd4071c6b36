# whole_output: what a pipe or a file gets is whole, whatever its width and length; a slow producer is waited for.
. "$(dirname "$0")/check.sh"

# 5,000 rows, one value of 3,000 characters, in every format that a machine may read.
mkdir in
awk 'BEGIN { for (i = 0; i < 5000; i++) { t = "xxx"; if (i == 7) { t = ""; for (k = 0; k < 3000; k++) t = t "x" }
    printf "{\"id\":%d,\"t\":\"%s\"}\n", i, t } }' >in/a.jsonl
query="CREATE STREAM s (id INT, t STRING) USING json OPTIONS (path 'in');
CREATE MATERIALIZED VIEW q WITH (outputMode = 'append') AS SELECT id, t FROM s;
PROCESS ALL AVAILABLE; SELECT id, t FROM q ORDER BY id"
for format in table markdown csv tsv json jsonl; do
    run --format $format -c "$query"
    expect_code 0
    [ "$(grep -c xxx "$folder/stdout")" -eq 5000 ] || fail "$format: not 5,000 rows"
    [ "$(grep -o 'x\{3000\}' "$folder/stdout" | wc -l)" -eq 1 ] || fail "$format: the long value is cut"
done
run --format csv -c "$query"
[ "$(tail -1 "$folder/stdout")" = 4999,xxx ] || fail 'csv: the last row'

# Ten lines, each written when the one before has been answered: a pause is not the end, the end of the pipe is.
ran='a slow producer'
mkfifo pipe
"$LEAT" -c "CREATE STREAM s (n INT) WITH (connector = 'stdin', format = 'json');
CREATE SINK q WITH (connector = 'console', outputMode = 'append') AS SELECT n FROM s" <pipe >"$folder/stdout" 2>"$folder/stderr" &
program=$!
exec 4>pipe
rm pipe
waited=0
for n in 1 2 3 4 5 6 7 8 9 10; do
    printf '{"n":%d}\n' "$n" >&4
    until grep -q "^| *$n|\$" "$folder/stdout" || [ "$waited" -gt 1000 ]; do
        waited=$((waited + 1))
        sleep 0.02 # the look for the answer is what is waited with
    done
done
exec 4>&-
wait $program
code=$?
expect_code 0
[ "$(grep -cE '^\| *[0-9]+\|$' "$folder/stdout")" -eq 10 ] || fail 'not ten numbers'

finish
