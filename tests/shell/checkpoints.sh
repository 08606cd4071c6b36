# checkpoints: a query that is killed, stopped by a signal or started twice gives every row once; readers see whole batches.
. "$(dirname "$0")/check.sh"

rows() { # rows FIRST LAST: {"id":..} lines
    awk -v i="$1" -v last="$2" 'BEGIN { for (; i <= last; i++) printf "{\"id\":%d}\n", i }'
}

arrive() { # arrive PATH: standard input as a file that is there at once
    cat >arriving && mv arriving "$1"
}

# What somebody sees who takes each file of out that is not hidden: every id of 0..$1 once, whole lines only.
expect_ids() {
    cat out/[!._]* >seen
    [ "$(grep -cv '^{"id":[0-9]*}$' seen)" = 0 ] || fail 'a reader sees half a line'
    [ "$(wc -l <seen)" -eq $(($1 + 1)) ] || fail "a reader sees $(wc -l <seen) rows, not $(($1 + 1))"
    [ "$(sort seen | uniq | wc -l)" -eq $(($1 + 1)) ] || fail 'a row is there twice'
}

stream="CREATE STREAM s (id INT) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);"
sink() {
    echo "$stream CREATE SINK q WITH (connector = 'files', format = 'json', path = 'out', outputMode = 'append', trigger = '$1', checkpointLocation = 'cp') AS SELECT id FROM s;"
}

# ---- killed between the output and the commit, at whatever moment it is then
mkdir killed && cd killed && mkdir in || exit 1
rows 0 999 | arrive in/a.jsonl
rows 1000 1999 | arrive in/b.jsonl
sink availableNow >job.sql
echo 'AWAIT TERMINATION q;' >>job.sql
turn=0
while [ $turn -lt 12 ]; do
    ran="job killed after $turn turns"
    "$LEAT" job.sql >/dev/null 2>&1 </dev/null &
    program=$!
    # Longer from life to life: a few thousand instructions of this shell at a time.
    i=0
    while [ $i -lt $((turn * 400)) ]; do i=$((i + 1)); done
    kill -KILL $program 2>/dev/null
    wait $program 2>/dev/null
    turn=$((turn + 1))
done
run job.sql
expect_code 0
expect_ids 1999
cd ..

# ---- killed when a batch was planned and not committed: the same batch takes the same file again, then the new ones come
mkdir planned && cd planned || exit 1
tries=0
while :; do
    rm -rf in out cp
    mkdir in
    rows 0 199999 | arrive in/a.jsonl
    "$LEAT" -c "$(sink availableNow) AWAIT TERMINATION q" >/dev/null 2>&1 </dev/null &
    program=$!
    # The checkpoint's log has a record of kind offsets before the batch reads a row.
    while kill -0 $program 2>/dev/null && ! grep -qs '"sources"' cp/*log* cp/*/* 2>/dev/null; do :; done
    kill -KILL $program 2>/dev/null
    wait $program 2>/dev/null
    kinds=$("$LEAT" --format csv -c "SELECT concat_ws(' ', collect_list(kind)) AS kinds FROM leat_checkpoint('cp')" 2>/dev/null </dev/null)
    tries=$((tries + 1))
    case $kinds in
    *commit*) ;;
    *offsets*) break ;;
    esac
    [ $tries -lt 40 ] || break
done
ran='killed between plan and commit'
case $kinds in
*commit* | *[!a-z]offsets*commit*) fail "no moment between plan and commit was met: $kinds" ;;
*offsets*) ;;
*) fail "the checkpoint holds $kinds" ;;
esac
rows 200000 200000 | arrive in/b.jsonl
run --format jsonl -c "$(sink availableNow) AWAIT TERMINATION q; SELECT batchId, numInputRows FROM leat_progress WHERE numInputRows > 0 ORDER BY batchId"
expect_code 0
expect_out '{"batchId":0,"numInputRows":200000}
{"batchId":1,"numInputRows":1}'
expect_ids 200000
cd ..

# ---- two processes over one checkpoint: the second ends at once; who was killed leaves no lock
mkdir twice && cd twice && mkdir in || exit 1
sink '1 second' >job.sql
"$LEAT" job.sql >/dev/null 2>&1 </dev/null &
first=$!
while [ ! -d cp ] || [ -z "$(ls cp 2>/dev/null)" ]; do :; done
run job.sql
[ $code -ne 0 ] || fail 'a second process over the same checkpoint goes on'
expect_err_has 'cp'
rows 0 0 | arrive in/a.jsonl
while [ "$(cat out/[!._]* 2>/dev/null | wc -l)" -lt 1 ]; do kill -0 $first || break; done
kill -KILL $first
wait $first 2>/dev/null
rows 1 1 | arrive in/b.jsonl
"$LEAT" job.sql >/dev/null 2>"$folder/stderr" </dev/null &
third=$!
while [ "$(cat out/[!._]* 2>/dev/null | wc -l)" -lt 2 ]; do kill -0 $third || break; done
kill -TERM $third
wait $third
code=$?
expect_code 0
expect_ids 1
cd ..

# ---- TERM and INT in the middle of batches: soon, quiet, and nothing lost or doubled
mkdir stopped && cd stopped && mkdir in || exit 1
file=0
while [ $file -lt 10 ]; do
    rows $((file * 1000)) $((file * 1000 + 999)) | arrive in/f$file.jsonl
    file=$((file + 1))
done
sink '100 milliseconds' >job.sql
for signal in TERM INT TERM; do
    before=$(cat out/[!._]* 2>/dev/null | wc -l)
    ran="$signal"
    "$LEAT" job.sql >/dev/null 2>"$folder/stderr" </dev/null &
    program=$!
    while [ "$(cat out/[!._]* 2>/dev/null | wc -l)" -le "$before" ] && [ "$before" -lt 10000 ]; do kill -0 $program || break; done
    kill -$signal $program
    wait $program
    code=$?
    [ $signal = TERM ] && expect_code 0 || expect_code 130
    expect_err interrupted # no trace
done
run -c "$(sink availableNow) AWAIT TERMINATION q"
expect_code 0
expect_ids 9999
cd ..

# ---- a table is read while its query runs: whole batches only, never fewer rows than before
mkdir read && cd read && mkdir in || exit 1
file=0
while [ $file -lt 60 ]; do
    awk -v f=$file 'BEGIN { for (i = 0; i < 1000; i++) printf "{\"f\":%d,\"i\":%d}\n", f, i }' | arrive "in/f$file.jsonl"
    file=$((file + 1))
done
{
    echo "CREATE STREAM s (f INT, i INT) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE MATERIALIZED VIEW q WITH (outputMode = 'append') AS SELECT f, i FROM s;
CREATE MATERIALIZED VIEW c WITH (outputMode = 'complete') AS SELECT f, count(*) AS n FROM s GROUP BY f;"
    i=0
    while [ $i -lt 150 ]; do
        echo "SELECT 'q' AS t, count(*) AS n, 1000 * count(DISTINCT f) AS m FROM q;"
        echo "SELECT 'c' AS t, coalesce(sum(n), 0) AS n, coalesce(max(n), 1000) AS m FROM c;"
        i=$((i + 1))
    done
    echo "PROCESS ALL AVAILABLE; SELECT 'end' AS t, (SELECT count(*) FROM q) AS n, (SELECT count(*) FROM c) AS m;"
} >job.sql
run --format csv job.sql
expect_code 0
bad=$(tr -d '\r"' <"$folder/stdout" | awk -F, '
    $1 == "q" && ($2 % 1000 != 0 || $2 != $3 || $2 < q) { print "q: " $0 }
    $1 == "q" { q = $2 }
    $1 == "c" && ($2 % 1000 != 0 || $3 != 1000 || $2 < c) { print "c: " $0 }
    $1 == "c" { c = $2 }
    $1 == "end" { ended = 1; if ($2 != 60000 || $3 != 60) print $0 }
    END { if (!ended) print "no end" }')
[ -z "$bad" ] || fail "$bad"
cd ..

finish
