#!/bin/sh
# run.sh BUILD - every figure of docs/results/doctor.md: seeded flaws, the clips as they are, all repairs made, and ten walks
# of five minutes through a graph of all CMU clips. Status 77 without real data.
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
"$build/experiments/doctor_experiment" "$mocap" seeded 3 2>"$work/notes"
echo
"$build/experiments/doctor_experiment" "$mocap" untouched | awk '{ print $2 }' | sort | uniq -c
echo
"$build/experiments/doctor_experiment" "$mocap" mended | awk '$2 > 1'
echo
"$build/experiments/body_experiment" "$mocap"/cmu/*.bvh "$mocap"/bandai/*.bvh
echo
"$build/experiments/whole_experiment" "$mocap"/cmu/*.bvh "$mocap"/bandai/*.bvh "$mocap"/accad/*.bvh "$mocap"/hdm05/*/*.amc 2>"$work/missed"
echo
"$build/experiments/copies_experiment" "$mocap"/cmu/*.bvh "$mocap"/bandai/*.bvh "$mocap"/accad/*.bvh "$mocap"/hdm05/*/*.amc 2>"$work/missed"
echo
"$build/marey" add "$work/all.marey" "$mocap/cmu" --quiet
"$build/marey" graph build "$work/all.marey" all --quiet >"$work/graph"
for seed in 1 2 3 4 5 6 7 8 9 10; do
    "$build/marey" graph walk "$work/all.marey" all --length 300s --seed $seed -o "$work/walk$seed.bvh" --quiet >"$work/walk"
done
"$build/experiments/doctor_experiment" "$mocap" speeds "$work"/walk*.bvh
echo
"$build/bench/bench_doctor"
