#!/bin/sh
# run.sh EXPECTED COMMAND...: runs the command in an empty folder and compares what it prints with the file EXPECTED.
expected=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/work" && cd "$folder/work" || exit 1
"$@" >"$folder/stdout"
code=$?
if [ $code -ne 0 ]; then
    echo "exit code $code"
    exit 1
fi
diff "$expected" "$folder/stdout"
