#!/bin/sh
# demo.sh PROGRAM FOLDER - marey's main job on built-in data; the results stay in FOLDER.
set -eu
marey=$1
folder=$2
show() {
    printf '\n$ marey'
    printf ' %s' "$@"
    printf '\n'
    "$marey" "$@"
}
cp examples/wave.bvh "$folder/wave.bvh"
cd "$(dirname "$0")/.."
show info "$folder/wave.bvh"
show convert "$folder/wave.bvh" "$folder/wave-mirrored-60.bvh" --mirror --fps 60
show convert "$folder/wave.bvh" "$folder/wave-metres-z-up.bvh" --out-units m --out-up z
show convert "$folder/wave.bvh#0-31" "$folder/wave-mirrored-60.bvh" "$folder/wave-twice.bvh" --align
show positions "$folder/wave.bvh" -o "$folder/wave.npy"
printf '\n'
ls -l "$folder" | awk 'NR > 1 { print "  " $NF, $5 " bytes" }'
