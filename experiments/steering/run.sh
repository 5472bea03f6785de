#!/bin/sh
# run.sh - a graph's policy and motion matching on the same inputs, on real clips: experiments/results/steering.md, the picture
# in docs/pictures/steering-turns.png. Two minutes of one processor's time.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/steering
if [ ! -f "$mocap/cmu_large.marey" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
cp "$mocap/cmu_large.marey" "$folder/clips.marey"
chmod u+w "$folder/clips.marey"
{
    printf '# Steering: all numbers\n\nWritten by `./dev experiment steering`; what they mean is in [steering.md](../../docs/results/steering.md).\n'
    "$build/experiments/steering_experiment" "$mocap" "$folder/clips.marey" "$folder"
} >"$folder/numbers.md"
rm "$folder/clips.marey"
cp "$folder/numbers.md" experiments/results/steering.md
cp "$folder/steering-turns.png" docs/pictures/steering-turns.png
echo "experiments/results/steering.md and docs/pictures/steering-turns.png are written"
