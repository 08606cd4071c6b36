#!/bin/bash
# tidy.sh CHECK ROOT [BUILD]: one check of the tree under ROOT. Prints a line for each fault, `file:line: what; do this`, and
# fails if there is one. Checks: includes calls words lines readmes generated formatted orphans symbols.
# The files are those under version control, or all but build/ where ROOT is no repository.
set -euo pipefail
export LC_ALL=C.UTF-8
check=$1 root=$2 build=${3:+$(realpath "$3")}
here=$(cd "$(dirname "$0")" && pwd)
cd "$root"

files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -type f -not -path './build/*' | sed 's,^\./,,'
    fi | while read -r file; do [ ! -f "$file" ] || echo "$file"; done | sort
}
sources() { files | grep -E '\.[ch]$' || true; }
library_sources() { sources | grep -E '^(base|storage|grammar|parser|planner|exec)/' || true; }

# Prints the sources as file:line: with strings and comments blanked.
code() {
    xargs -r awk '
        FNR == 1 { inside = 0 }
        {
            text = $0
            gsub(/\x27(\\.|[^\x27\\])\x27/, "0", text)
            gsub(/"(\\.|[^"\\])*"/, "\"\"", text)
            if (inside && match(text, /\*\//)) { text = substr(text, RSTART + 2); inside = 0 } else if (inside) text = ""
            sub(/\/\/.*/, "", text)
            gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
            if (match(text, /\/\*/)) { text = substr(text, 1, RSTART - 1); inside = 1 }
            printf "%s:%d: %s\n", FILENAME, FNR, text
        }'
}

# leat.h <- base <- {storage, parser} <- planner <- exec; shell, bench, examples and the recordings see <leat.h> alone.
check_includes() {
    sources | xargs -r grep -nE '^ *# *include *"' | awk '
        BEGIN {
            order = "leat.h <- base <- {storage, parser} <- planner <- exec <- {shell, examples, bench}"
            may["include"] = ""; may["base"] = "base"; may["storage"] = "base storage"; may["grammar"] = "base grammar parser"
            may["parser"] = "base grammar parser"; may["planner"] = "base storage parser planner"
            may["exec"] = "base storage parser planner exec"; may["shell"] = "shell"; may["examples"] = "examples"; may["bench"] = "bench"
        }
        {
            split($0, part, ":"); file = part[1]; line = part[2]
            match($0, /"[^"]*"/); name = substr($0, RSTART + 1, RLENGTH - 2)
            folder = file; sub(/\/.*/, "", folder); of = name
            if (sub(/\/.*/, "", of) == 0) of = ""
            if (of == "" && name != "sql.h" && name != "leat.h" && folder != "tests") print file ":" line ": \"" name "\" is not written from the root; write the whole path"
            if (!(folder in may)) {
                if (file ~ /^tests\/(conformance|install)\//) print file ":" line ": \"" name "\" is inside of the library; include <leat.h> alone"
                next
            }
            if (of == "") next
            if (index(" " may[folder] " ", " " of " ") == 0)
                print file ":" line ": " folder " includes \"" name "\", against the order " order "; take it from below, or move it down"
        }'
    # The first include of a source is its own header.
    sources | grep '\.c$' | while read -r file; do
        header=${file%.c}.h
        [ -f "$header" ] || continue
        first=$(grep -m1 -E '^ *# *include' "$file" || true)
        # build.c may begin with build_node.h, what its own header and its neighbours share.
        case $first in *"\"${file%.c}"*) ;; *) echo "$file:1: the first include is not \"$header\"; put the own header first" ;; esac
    done
}

check_calls() {
    library_sources | code | awk -v list="$here/banned_calls.txt" '
        BEGIN {
            while ((getline row < list) > 0) {
                if (row ~ /^#/ || row == "") continue
                count = split(row, part, "\t"); instead[part[1]] = part[2]; place[part[1]] = count > 2 ? " " part[3] " " : ""
            }
        }
        {
            file = $0; sub(/:.*/, "", file); rest = $0
            where = $0; sub(/: .*/, "", where)
            sub(/^[^:]*:[0-9]+: /, "", rest)
            while (match(rest, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
                name = substr(rest, RSTART, RLENGTH - 1); before = RSTART > 1 ? substr(rest, 1, RSTART - 1) : ""
                rest = substr(rest, RSTART + RLENGTH)
                if (!(name in instead) || before ~ /(\.|->|[A-Za-z0-9_])$/ || index(place[name], " " file " ") > 0) continue
                print where ": calls " name "; use " instead[name]
            }
        }'
}

check_words() {
    { sources; files | grep -E '\.(y|re|def|cmake|sh)$|CMakeLists.txt$' || true; } | grep -v '^tests/tidy/' | xargs -r grep -nE '\b(TODO|FIXME|HACK)\b' |
        sed -E 's/^([^:]*:[0-9]+):.*/\1: a note to do something later; do it, or file an issue/' || true
    sources | grep -v '^tests/tidy/' | xargs -r grep -nE '^ *# *pragma' |
        sed -E 's/^([^:]*:[0-9]+):.*/\1: a pragma; put the flag and its reason in CMake, a guard in a header/' || true
}

# The formatter keeps C at 120 columns, where it can break.
check_lines() {
    sources | xargs -r grep -nE '^.{141,}' | sed -E 's/^([^:]*:[0-9]+):.*/\1: more than 140 columns; break the line/' || true
    files | grep -E '\.(y|re|def|cmake|sh)$|CMakeLists.txt$|^scripts/' | xargs -r grep -nE '^.{201,}' |
        sed -E 's/^([^:]*:[0-9]+):.*/\1: more than 200 columns; break the line/' || true
    files | grep -vE '\.(test|json|jsonl|csv|expected|txt|md)$|^tests/' | xargs -r grep -nE '[ 	]+$' |
        sed -E 's/^([^:]*:[0-9]+):.*/\1: blanks at the end of the line; take them off/' || true
}

# A folder with code has a README of its own; folders that hold only data or the consumer of a test stand in the one above.
check_readmes() {
    local folder part
    sources | xargs -rn1 dirname | sort -u | grep -vE '^tests/install/consumer$|^examples/embed$' | while read -r folder; do
        [ -f "$folder/README.md" ] || { echo "$folder/: no README.md; write one: what lives here, what must not, how to add one, how it is tested"; continue; }
        for part in "What lives here" "What must not" "How to add" "How it is"; do
            grep -qE "^(## |\*\*)?$part" "$folder/README.md" || echo "$folder/README.md:1: no section '$part'; add it"
        done
    done
    files | grep '/' | sed 's,/.*,,' | sort -u | grep -v '^\.' | while read -r folder; do
        [ -f "$folder/README.md" ] || echo "$folder/: no README.md; write one"
    done | sort -u
}

check_generated() {
    files | grep -E '(^build/|\.(o|a|so|d|pyc)$|(^|/)(sql|lexer)\.c$|(^|/)grammar/sql\.h$)' | sed 's/$/:1: built by the build; take it out of version control/' || true
    files | grep -vE '^tests/tidy/|\.md$' | xargs -r grep -lE '(Generated|generated) by re2c|LEMON parser generator|automatically generated from the input grammar' |
        sed 's/$/:1: a generated file; take it out of version control/' || true
}

check_formatted() {
    command -v clang-format >/dev/null || { echo "no clang-format here: skipped"; exit 77; }
    sources | xargs -r clang-format --dry-run -Werror 2>&1 | grep -E 'error:' |
        sed -E 's/^([^:]*:[0-9]+):.*/\1: not as .clang-format wants it; run clang-format -i/' | sort -u || true
}

# Files that nobody builds, includes or names.
check_orphans() {
    local everything file name
    everything=$(mktemp)
    { files | grep -E '\.(c|h|y|re|def)$' | xargs -r grep -hE '^ *[#%]? *include'
        files | grep -E '\.cmake$|CMakeLists.txt$' | xargs -r cat
    } >"$everything" || true
    files | grep -E '\.(h|def|y|re)$' | grep -v '^include/leat\.h$' | while read -r file; do
        grep -qF "$(basename "$file")" "$everything" || echo "$file:1: nobody includes it; take it away"
    done
    if [ -n "$build" ]; then
        sources | grep '\.c$' | grep -vE '^tests/install/consumer/|^bench/' | while read -r file; do
            grep -qF "/$file" "$build/build.ninja" || echo "$file:1: nobody builds it; name it in CMake or take it away"
        done
    fi
    rm -f "$everything"
}

# What libleat.so takes from outside stands in allowed_symbols.txt; what it gives starts with leat_.
check_symbols() {
    local library=$build/libleat.so
    [ -f "$library" ] || { echo "no $library: skipped"; exit 77; }
    nm -D --defined-only "$library" | awk '{print $NF}' | grep -vE '^leat_' | sed 's/^/libleat.so: gives away /; s/$/; only leat_ names are public/' || true
    nm --defined-only "$build/libleat.a" | awk 'NF == 3 && $2 ~ /[A-Z]/ {print $3}' | grep -vE '^leat_' | sed 's/^/libleat.a: gives away /; s/$/; only leat_ names are public/' || true
    nm -D --undefined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | sort -u | while read -r name; do
        grep -v '^#' "$here/allowed_symbols.txt" | tr ' ' '\n' | while read -r pattern; do
            # shellcheck disable=SC2254  # patterns of the list
            case $name in $pattern) echo yes; break ;; esac
        done | grep -q yes || echo "libleat.so: takes $name from outside, which is not in tests/tidy/allowed_symbols.txt; do without it"
    done
}

case $check in includes | calls | words | lines | readmes | generated | formatted | orphans | symbols) ;; *) echo "no check '$check'"; exit 2 ;; esac
faults=$("check_$check") || { status=$?; echo "$faults"; exit $status; }
[ -z "$faults" ] || { echo "$faults"; exit 1; }
