#!/bin/sh
# Transitions and loops of real clips with nothing set: experiments/results/defaults.md; what was made, with a strip of
# each, is in BUILD/experiments/defaults. Status 77 without real data. usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/defaults
[ -d "$mocap/cmu" ] && [ -d "$mocap/accad" ] || {
    echo "skipped: there is no $mocap/cmu or $mocap/accad (docs/data.md says where to get it)"
    exit 77
}
rm -rf "$folder"
mkdir -p "$folder"
{
    cat experiments/defaults/head.md
    python3 experiments/defaults/defaults_table.py "$build/marey" "$mocap" "$folder"
} >"$folder/defaults.md"
mv "$folder/defaults.md" experiments/results/defaults.md
grep -E '^[0-9]+ (transitions|loops):' experiments/results/defaults.md
