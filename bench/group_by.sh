#!/bin/bash
# group_by.sh [BUILD]: GROUP BY event over JSON rows of 147 bytes, one thread: leat against DuckDB's read_json.
#
# Both read the same file from the page cache with an explicit schema, in turns; their answers are compared before any
# figure is printed. leat's CPU seconds are those of the whole process; DuckDB's those of the query alone, inside a process
# that runs since before (so its start is not counted). Variables: ROWS (2000000), ROUNDS (7), STARTS (50).
# A peer that is missing is skipped by name.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build/release}
rows=${ROWS:-2000000} rounds=${ROUNDS:-7} starts=${STARTS:-50}
leat=$build/leat
[ -x "$leat" ] || { echo "no $leat: build the preset release first" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -O2 -o "$folder/generate_rows" "$here/generate_rows.c"

# cpu OUT COMMAND...: the command's output goes to OUT; prints its user + system seconds.
cpu() {
    local out=$1 TIMEFORMAT='%U %S'
    shift
    { time "$@" >"$out" 2>"$folder/errors"; } 2>&1 | awk '{printf "%.3f\n", $1 + $2}'
}
# minimum and median of the lines of a file
summary() { sort -n "$1" | awk '{v[NR] = $1} END {printf "%.3f %.3f", v[1], (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2}'; }

cat >"$folder/peer.py" <<'PYTHON'
# Runs the query once for each line on standard input; answers with its CPU seconds.
import resource, sys
import duckdb
path, out = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET threads = 1")
for line in sys.stdin:
    before = resource.getrusage(resource.RUSAGE_SELF)
    answer = connection.execute(
        "SELECT event, sum(amount) AS total FROM read_json(?, columns = {event: 'VARCHAR', amount: 'BIGINT'},"
        " format = 'newline_delimited') GROUP BY event", [path]).fetchall()
    after = resource.getrusage(resource.RUSAGE_SELF)
    with open(out, "w") as file:
        file.writelines("%s,%d\n" % row for row in answer)
    print("%.3f" % (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), flush=True)
PYTHON

duckdb_version=$(python3 -c 'import duckdb; print(duckdb.__version__)' 2>/dev/null || true)
[ -n "$duckdb_version" ] || echo "DuckDB: skipped, python3 has no module duckdb"
grep -m1 'model name' /proc/cpuinfo | sed 's/.*: /machine: /; s/$/, '"$(nproc)"' cores/'
echo "leat: $("$leat" --version 2>/dev/null | head -1), DuckDB: ${duckdb_version:-none}, date: $(date -u +%F), rows: $rows, rounds: $rounds"
printf '%-24s %10s %10s %12s %12s %8s\n' job "leat min" median "DuckDB min" median ratio

# job NAME KEYS ORDER
job() {
    local name=$1 keys=$2 order=$3 path=$folder/rows.json ratio=""
    "$folder/generate_rows" "$rows" "$keys" 1 "$order" >"$path"
    printf "CREATE TABLE rows (event STRING, amount BIGINT) USING json OPTIONS (path '%s');\n" "$path" >"$folder/job.sql"
    echo "SELECT event, sum(amount) AS total FROM rows GROUP BY event;" >>"$folder/job.sql"
    : >"$folder/leat"; : >"$folder/duckdb"
    if [ -n "$duckdb_version" ]; then
        coproc DUCKDB { python3 "$folder/peer.py" "$path" "$folder/duckdb.csv"; }
        echo warm >&"${DUCKDB[1]}"; read -r _ <&"${DUCKDB[0]}"
    fi
    cpu "$folder/leat.csv" "$leat" --format csv "$folder/job.sql" >/dev/null
    for _ in $(seq "$rounds"); do
        cpu "$folder/leat.csv" "$leat" --format csv "$folder/job.sql" >>"$folder/leat"
        if [ -n "$duckdb_version" ]; then
            echo again >&"${DUCKDB[1]}"; read -r seconds <&"${DUCKDB[0]}"; echo "$seconds" >>"$folder/duckdb"
        fi
    done
    read -r leat_minimum leat_median <<<"$(summary "$folder/leat")"
    if [ -n "$duckdb_version" ]; then
        exec {DUCKDB[1]}>&-
        wait "$DUCKDB_PID" 2>/dev/null || true
        if ! diff -q <(tail -n +2 "$folder/leat.csv" | sort) <(sort "$folder/duckdb.csv") >/dev/null; then
            echo "$name: the answers differ, no figure"; return 1
        fi
        read -r duckdb_minimum duckdb_median <<<"$(summary "$folder/duckdb")"
        ratio=$(awk -v a="$duckdb_median" -v b="$leat_median" 'BEGIN {printf "%.2f", a / b}')
    fi
    printf '%-24s %10s %10s %12s %12s %8s\n' "$name" "$leat_minimum" "$leat_median" "${duckdb_minimum:--}" "${duckdb_median:--}" "${ratio:--}"
}
job "5 keys" 5 order
job "100,000 keys" 100000 order
job "5 keys, any order" 5 shuffled
job "100,000 keys, any order" 100000 shuffled

# The whole of a small process, wall clock, in milliseconds.
for _ in $(seq "$starts"); do
    begin=$(date +%s%N)
    "$leat" -c 'SELECT 1' >/dev/null
    end=$(date +%s%N)
    awk -v b="$begin" -v e="$end" 'BEGIN {printf "%.3f\n", (e - b) / 1e6}'
done >"$folder/starts"
read -r start_minimum start_median <<<"$(summary "$folder/starts")"
echo "leat -c 'SELECT 1': min $start_minimum ms, median $start_median ms of $starts processes"
