#!/bin/bash
# install.sh BUILD COMPILER [SANITIZERS]: installs the build into a folder of its own and builds consumer/ in three ways.
set -eu
build=$1 compiler=$2 sanitizers=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/first

cmake --install "$build" --prefix "$prefix" >"$folder/log" || { cat "$folder/log"; exit 1; }
# An installed tree can be moved.
mv "$prefix" "$folder/prefix"
prefix=$folder/prefix
library_folder=$(dirname "$(find "$prefix" -name libleat.a)")
export PKG_CONFIG_PATH=$library_folder/pkgconfig
flags=""
[ -z "$sanitizers" ] || flags="-fsanitize=$sanitizers"

# answer WAY PROGRAM: the program prints what it should.
answer() {
    local found
    found=$("$2") || { echo "$1: the program failed"; exit 1; }
    [ "$found" = "HELLO" ] || { echo "$1: found '$found', wanted 'HELLO'"; exit 1; }
    echo "$1: ok"
}

# shellcheck disable=SC2046,SC2086  # lists of flags
"$compiler" $flags -o "$folder/shared" "$here/consumer/hello.c" $(pkg-config --cflags --libs leat) -Wl,-rpath,"$library_folder"
answer pkg-config "$folder/shared"

libraries=$(pkg-config --static --libs leat)
# shellcheck disable=SC2046,SC2086
"$compiler" $flags -o "$folder/static" "$here/consumer/hello.c" $(pkg-config --cflags leat) "$library_folder/libleat.a" ${libraries//-lleat /}
answer "pkg-config --static" "$folder/static"

cmake -G Ninja -S "$here/consumer" -B "$folder/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS="$flags" >"$folder/log" 2>&1 && cmake --build "$folder/consumer" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
answer find_package "$folder/consumer/hello"
[ ! -e "$prefix/bin/leat" ] || "$prefix/bin/leat" -c 'SELECT 1' >/dev/null
