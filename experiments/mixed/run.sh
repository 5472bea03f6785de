#!/bin/sh
# run.sh - one graph of four captures with four skeletons: walks of CMU, Bandai and ACCAD, sneaks and jogs of HDM05; walks of
# 60 s through it: the table of docs/results/mixed.md, its strip in docs/pictures/mixed-walk.png. Status 77 without real data.
# usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/mixed
[ -d "$mocap/cmu" ] && [ -d "$mocap/accad" ] || {
    echo "skipped: there is no $mocap/cmu or $mocap/accad (docs/data.md says where to get it)"
    exit 77
}
rm -rf "$folder"
mkdir -p "$folder"
library=$folder/mixed.marey
# Every clip that CMU's index calls a walk; those of subject 143 were captured at 60 Hz.
awk 'tolower($0) ~ /walk/ { print $1 }' "$mocap/cmu/cmu-mocap-index-text.txt" | while read -r name; do
    [ -f "$mocap/cmu/$name.bvh" ] || continue
    case $name in 143_*) rate='--source-fps 60' ;; *) rate= ;; esac
    # shellcheck disable=SC2086
    "$build/marey" add "$library" "$mocap/cmu/$name.bvh" --label CMU --quiet $rate
done
"$build/marey" add "$library" "$mocap"/bandai/*walk*.bvh --label Bandai --quiet
"$build/marey" add "$library" "$mocap"/accad/*Walk*.bvh --label ACCAD --quiet
"$build/marey" add "$library" "$mocap"/hdm05/sneak*/*.amc "$mocap"/hdm05/jog*/*.amc --label HDM05 --quiet
"$build/marey" graph build "$library" mixed --json >"$folder/mixed.json"
"$build/marey" graph build "$library" cmu --label CMU --json >"$folder/cmu.json"
for seed in 1 2 3 4 5 6 7 8 9 10; do
    for graph in mixed cmu; do
        "$build/marey" graph walk "$library" $graph --length 60s --seed $seed -o "$folder/$graph-$seed.bvh" --json >"$folder/$graph-$seed.json" 2>/dev/null
        "$build/marey" quality "$folder/$graph-$seed.bvh" --json >"$folder/$graph-$seed-quality.json" 2>/dev/null
    done
done
"$build/marey" ls "$library" --json >"$folder/clips.json"
# A walk through a second of each of them, and another one, in pictures.
"$build/marey" graph walk "$library" mixed --through CMU,HDM05,Bandai,ACCAD,HDM05,Bandai,CMU -o "$folder/through.bvh" --json >"$folder/through.json"
"$build/marey" render "$folder/through.bvh" -o docs/pictures/mixed-walk.png --poses 28 --width 2000 --height 360 --quiet 2>/dev/null
python3 experiments/mixed/walk_table.py "$folder"
