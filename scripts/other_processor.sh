#!/bin/sh
# other_processor.sh [TEST...] - builds marey for the processor that this machine is not (64-bit ARM or x86-64) and runs these
# tests for it with Debian's qemu-user, so that the kernels of both stay right on a machine of either. By default: everything
# that has code for one processor, or stands on it. The demo takes must be the same bytes on both, and what the program decides
# the same.
#
# Nothing is installed for the other processor: its packages lie unpacked in build-other/sysroot. Called by ./dev test-long,
# which installs compiler and emulator.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- test_kernel test_query_scan $(cd tests && ls feature/test_*.c align/test_*.c | sed 's|.*/||; s|\.c$||')
case $(uname -m) in
x86_64) arch=arm64 triplet=aarch64-linux-gnu emulator="qemu-aarch64 -cpu max" ;;
aarch64) arch=amd64 triplet=x86_64-linux-gnu emulator="qemu-x86_64 -cpu max" ;;
*)
    echo "skipped: on $(uname -m) there is no other processor to try"
    exit 0
    ;;
esac
packages="libc6-dev libgcc-12-dev libcmocka-dev libsqlite3-dev libzstd-dev libcairo2-dev libfreetype-dev zlib1g-dev
    libmicrohttpd-dev libwslay-dev libjansson-dev"
folder=$PWD/build-other
sysroot=$folder/sysroot

# apt with a state of its own, in which nothing is installed and all is for the other processor.
apt_other() {
    apt-get -qq -o APT::Architecture=$arch -o APT::Architectures=$arch -o Dir::State="$folder/apt" \
        -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" -o APT::Sandbox::User="$(id -un)" "$@"
}

unpack_packages() {
    [ -f "$sysroot/complete" ] && return 0
    rm -rf "$sysroot" "$folder/apt"
    mkdir -p "$sysroot" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    : >"$folder/apt/status"
    apt_other update
    # shellcheck disable=SC2086
    apt_other install -y --download-only --no-install-recommends $packages
    for package in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
    # Links to /lib/... mean the sysroot's.
    find "$sysroot" -type l -lname '/*' | while read -r link; do
        ln -sfn "$sysroot$(readlink "$link")" "$link"
    done
    rm -rf "$folder/apt"
    : >"$sysroot/complete"
}

# pkg-config that knows the sysroot only.
export PKG_CONFIG_SYSROOT_DIR="$sysroot"
export PKG_CONFIG_LIBDIR="$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig"
mkdir -p "$folder"
unpack_packages
targets=$(for test in "$@"; do ls tests/*/"$test.c"; done | sed 's|tests/\(.*\)/.*|stage_\1|' | sort -u)
log=$folder/build.log
# shellcheck disable=SC2086
if ! { cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O2" \
    -DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=${triplet%%-*}" "-DCMAKE_C_COMPILER=$triplet-gcc" \
    "-DCMAKE_SYSROOT=$sysroot" "-DCMAKE_CROSSCOMPILING_EMULATOR=$(echo "$emulator" | tr ' ' ';');-L;$sysroot" \
    -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER && cmake --build "$folder" --target $targets marey_program; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

names=$(echo "$@" | tr ' ' '|')
ctest --test-dir "$folder" -R "^($names)\$" -j"$(nproc)" --output-on-failure --no-tests=error >"$folder/tests.log" 2>&1 || {
    grep -vE 'Start +[0-9]+:|   Passed  ' "$folder/tests.log" >&2
    exit 1
}
demo_hashes() { # compiler, library, how to run it, more options
    out=$folder/demo_hash.$1
    # shellcheck disable=SC2086
    "$1" -std=c17 -D_GNU_SOURCE -O1 -Iinclude $4 tests/determinism/demo_hash.c "$2" -o "$out" -lm -pthread
    # shellcheck disable=SC2086
    $3 "$out" >"$out.txt"
}
demo_hashes gcc build/libmarey.a "" ""
demo_hashes "$triplet-gcc" "$folder/libmarey.a" "$emulator -L $sysroot" "--sysroot=$sysroot"
diff "$folder/demo_hash.gcc.txt" "$folder/demo_hash.$triplet-gcc.txt" || {
    echo "the demo takes are other bytes on $arch" >&2
    exit 1
}
MAREY_OTHER="$emulator -L $sysroot $folder/marey" scripts/check_same_answers
echo "$arch: $(sed -n 's/.* tests failed out of \([0-9]*\).*/\1/p' "$folder/tests.log") tests passed," \
    "$(wc -l <"$folder/demo_hash.gcc.txt") demo takes the same bytes"
