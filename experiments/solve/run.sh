#!/bin/sh
# run.sh BUILD - every figure of docs/results/solve.md: the rotations of all real clips forgotten and found again, with every
# seventh clip of the large library, and the speed. Status 77 without real data.
# usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
[ -d "$mocap/cmu" ] || {
    echo "skipped: there is no $mocap/cmu (docs/data.md says where to get it)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/unseen"
if [ -f "$mocap/cmu_large.marey" ]; then
    cp "$mocap/cmu_large.marey" "$work/large.marey"
    "$build/marey" ls "$work/large.marey" | awk 'NR > 1 && $3 > 0 { print $1 }' >"$work/names"
    # shellcheck disable=SC2046 # names of clips have no blanks
    "$build/marey" export "$work/large.marey" $(awk 'NR % 7 == 1' "$work/names") -o "$work/unseen" --quiet
    for clip in "$mocap"/cmu/*.bvh; do rm -f "$work/unseen/$(basename "$clip")"; done
fi
SOLVE_VERBOSE=1 "$build/experiments/solve_experiment" --CMU/2 "$mocap"/cmu/*.bvh --Bandai/2 "$mocap"/bandai/*.bvh \
    --HDM05/2 "$mocap"/hdm05/*/*.amc "--CMU, never looked at" "$work"/unseen/*.bvh 2>"$work/notes"
echo
grep world "$work/notes" || true
echo
"$build/bench/bench_solve"
