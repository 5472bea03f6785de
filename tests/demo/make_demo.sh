#!/bin/sh
# make_demo.sh PROGRAM FOLDER - the whole demo, which takes half a minute to make, once for all tests that look at it; they
# copy what they change. It stays until the program is another one.
set -eu
[ "$2/truth.json" -nt "$1" ] && exit 0
rm -rf "$2" "$2.part"
"$1" demo "$2.part" --quiet
mv "$2.part" "$2"
