# signals: INT is exit 130, TERM a clean 0, a timeout 124; a reader that leaves is quiet, a full disk is 3.
. "$(dirname "$0")/check.sh"

# Ends the program by the signal $1 once it has printed its first line, and keeps its exit code.
stop_with() {
    signal=$1
    shift
    ran="$signal: $*"
    mkfifo pipe
    "$LEAT" "$@" >pipe 2>"$folder/stderr" </dev/null &
    program=$!
    exec 4<pipe
    rm pipe
    IFS= read -r line <&4
    kill "-$signal" $program
    cat <&4 >/dev/null
    exec 4<&-
    wait $program
    code=$?
}

sink="CREATE STREAM g (value BIGINT) WITH (connector = 'generator', rowsPerSecond = 1000);
CREATE SINK k WITH (connector = 'stdout', format = 'json', outputMode = 'append') AS SELECT value FROM g"

stop_with INT -c "$sink"
expect_code 130
stop_with TERM -c "$sink"
expect_code 0

# A statement in the middle of its work stops as well.
stop_with INT --format jsonl -c 'SELECT 1 AS x; SELECT count(*) FROM range(1000000000) a JOIN range(1000) b ON a.id % 7 < b.id'
expect_code 130

run --timeout 200ms -c "$sink"
expect_code 124
run --timeout 300ms -c 'SELECT count(*) FROM range(1000000000) a JOIN range(1000) b ON a.id % 7 < b.id'
expect_code 124

ran='| head -1'
first=$("$LEAT" -c 'SELECT id FROM range(1000000)' 2>"$folder/stderr" | head -1)
[ "$first" = id ] || fail "first line is $first"
expect_err ''
mkfifo status
("$LEAT" -c 'SELECT id FROM range(1000000)' 2>/dev/null; echo $? >"$folder/code") | head -1 >/dev/null
code=$(cat "$folder/code")
expect_code 0

if [ -w /dev/full ]; then
    ran='> /dev/full'
    "$LEAT" -c 'SELECT 1' >/dev/full 2>"$folder/stderr"
    code=$?
    expect_code 3
    expect_err_has 'cannot write'
fi

finish
