# Sourced by run and test: sees that the tools and libraries of the build are there.
#
# On Debian and its kin what is missing is installed with apt-get (through sudo for users who are not root); when all is
# there, no package manager is called. On other systems a missing tool or library is named, and the script ends.
set -eu

leat_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# (make: GCC needs it to optimise the parts of the library side by side.)
leat_packages="gcc libc6-dev make cmake ninja-build pkg-config lemon re2c libcjson-dev libxxhash-dev libedit-dev libutf8proc-dev
    libpcre2-dev libcmocka-dev zlib1g-dev libzstd-dev clang-format ccache git tzdata python3"

# Prints the packages of the list that are not installed.
packages_missing() {
    local package
    for package in $leat_packages; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || printf '%s ' "$package"
    done
}

packages_install() {
    local missing as_root=""
    missing=$(packages_missing)
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "leat needs these packages, and only root can install them: $missing" >&2; exit 1; }
        as_root="sudo"
    fi
    echo "installing: $missing" >&2
    $as_root apt-get update -qq >&2
    # shellcheck disable=SC2086  # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
}

# Elsewhere: names every tool and library that is missing, with where it comes from.
packages_check() {
    local tool library missing=""
    for tool in cmake:cmake ninja:ninja gcc:gcc pkg-config:pkg-config lemon:"lemon (SQLite's parser generator)" re2c:re2c; do
        command -v "${tool%%:*}" >/dev/null || missing="$missing
  ${tool#*:}"
    done
    if command -v pkg-config >/dev/null; then
        for library in libcjson:cJSON libxxhash:xxHash libedit:libedit libutf8proc:utf8proc libpcre2-8:PCRE2 cmocka:cmocka \
            zlib:zlib libzstd:zstd; do
            pkg-config --exists "${library%%:*}" || missing="$missing
  ${library#*:} (development files, pkg-config name ${library%%:*})"
        done
    fi
    [ -z "$missing" ] && return 0
    echo "leat builds with these, which are missing here; please install them with your package manager:$missing" >&2
    echo "The names on Debian: $(echo $leat_packages)" >&2
    exit 1
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then packages_install; else packages_check; fi

# build_preset PRESET [cmake argument]...: configures once, then builds what changed; quiet when there is nothing to do.
build_preset() {
    local preset=$1 folder=$leat_root/build/$1
    shift
    [ -f "$folder/build.ninja" ] || (cd "$leat_root" && cmake --preset "$preset" "$@" >&2)
    ninja -C "$folder" -j "${LEAT_JOBS:-$(nproc)}" --quiet >&2
}
