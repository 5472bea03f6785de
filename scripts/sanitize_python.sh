#!/bin/sh
# sanitize_python.sh - the tests of the Python package on a library with AddressSanitizer and UndefinedBehaviorSanitizer: build/ and
# build-debug/ have been built, and the demo of the former was made. Python's own memory is not looked at for leaks.
set -eu
cd "$(dirname "$0")/.."
python=${MAREY_PYTHON-/usr/bin/python3}
MAREY_PRELOAD=$(find "$(clang-19 -print-resource-dir)" -name "libclang_rt.asan-$(uname -m).so")
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export MAREY_PRELOAD ASAN_OPTIONS
cmake --build build-debug --target marey_python >build-debug/python.log 2>&1 || {
    cat build-debug/python.log >&2
    exit 1
}
scripts/build_python.sh build-debug
sh tests/demo/make_demo.sh build/marey build/tests/whole-demo
MAREY_DEMO=$PWD/build/tests/whole-demo MAREY_PROGRAM=$PWD/build/marey LD_PRELOAD=$MAREY_PRELOAD \
    PYTHONPATH=$PWD/build-debug/python/package "$python" -m unittest discover --quiet --buffer -s python/tests
