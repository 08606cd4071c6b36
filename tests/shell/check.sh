# check.sh: sourced by the tests of this folder. LEAT names the program. Each test runs in an empty folder of its own.
#
#     run -c 'SELECT 1 AS x'      # standard output, standard error and exit code are kept
#     expect_code 0
#     expect_out 'x
#     1'

set -u
: "${LEAT:?names the program to test}"
unset NO_COLOR CLICOLOR_FORCE COLUMNS PAGER
LC_ALL=C.UTF-8
TERM=dumb
export LC_ALL TERM
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
HOME=$folder/home
export HOME
mkdir "$folder/work" "$folder/home" && cd "$folder/work" || exit 1
failures=0
ran=

run() {
    ran=$*
    "$LEAT" "$@" >"$folder/stdout" 2>"$folder/stderr" </dev/null
    code=$?
}

# The same with standard input from the file $1.
run_with() {
    input=$1
    shift
    ran="$* < $input"
    "$LEAT" "$@" >"$folder/stdout" 2>"$folder/stderr" <"$input"
    code=$?
}

fail() {
    failures=$((failures + 1))
    printf 'leat %s\n  %s\n' "$ran" "$1"
}

expect_code() { [ "$code" -eq "$1" ] || fail "exit code $code, not $1: $(head -3 "$folder/stderr")"; }

same() {
    printf '%s' "$2" >"$folder/wanted"
    [ -z "$2" ] || printf '\n' >>"$folder/wanted"
    difference=$(diff "$folder/wanted" "$folder/$1") || fail "$1 differs (< wanted, > found):
$difference"
}
expect_out() { same stdout "$1"; }
expect_err() { same stderr "$1"; }
# A piece of text that standard error has.
expect_err_has() { grep -qF -- "$1" "$folder/stderr" || fail "standard error lacks: $1
$(cat "$folder/stderr")"; }
expect_out_has() { grep -qF -- "$1" "$folder/stdout" || fail "standard output lacks: $1
$(cat "$folder/stdout")"; }

finish() {
    [ "$failures" -eq 0 ] || echo "$failures failed"
    exit "$((failures > 0))"
}
