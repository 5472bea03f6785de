#!/bin/sh
# run.sh BUILD - real clips on other bodies and back again, and beside what others make: the tables of docs/results/retarget.md.
# Status 77 without real data.
# usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
[ -d "$mocap/cmu" ] || {
    echo "skipped: there is no $mocap/cmu (docs/data.md says where to get it)"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export MAREY_FBX_READER="$build/marey-fbx"
marey="$build/marey"
"$marey" demo "$folder/demo" --quiet
"$build/experiments/retarget_experiment" --CMU "$mocap"/cmu/*.bvh --Bandai "$mocap"/bandai/*.bvh \
    --HDM05 "$mocap"/hdm05/*/*.amc --ACCAD "$mocap"/accad/*.bvh --rigs "$mocap"/rigs/fbx/samba_dancing.fbx "$mocap"/rigs/gltf/*[nre].glb \
    --demo "$folder"/demo/*.bvh --zoo "$mocap"/format_zoo/*.bvh

# The same by copying rotations, by three.js and by marey: one clip of every set onto every other one.
three=studio/web/node_modules/three
[ -d "$three" ] && command -v node >/dev/null || {
    echo "skipped: copying and three.js (node, or the studio's packages, are not installed)"
    exit 0
}
set -- "CMU $mocap/cmu/07_01.bvh" "Bandai $mocap/bandai/dataset-1_kick_normal_001.bvh" \
    "HDM05 $mocap/hdm05/depositFloorR/HDM_bd_depositFloorR_004_120.amc" "ACCAD $mocap/accad/Male1_B3_Walk.bvh" \
    "samba $mocap/rigs/fbx/samba_dancing.fbx" "soldier $mocap/rigs/gltf/soldier.glb"
for one in "$@"; do
    "$marey" convert "${one#* }" "$folder/${one%% *}.bvh" --out-units cm --out-up y --quiet
done
for from in "$@"; do
    for onto in "$@"; do
        [ "$from" != "$onto" ] || continue
        pair="$folder/${from%% *}--${onto%% *}"
        mkdir "$pair"
        cp "$folder/${onto%% *}.bvh" "$pair/target.bvh"
        # Without its marked frames, so that frames of all are the same.
        "$marey" retarget "$folder/${from%% *}.bvh" --onto "$folder/${from%% *}.bvh" -o "$pair/source.bvh" --quiet
        "$marey" retarget "$pair/source.bvh" --onto "$pair/target.bvh" -o "$pair/made.bvh" --quiet
        "$marey" retarget --map-of "$pair/source.bvh" "$pair/target.bvh" --quiet >"$pair/map.json"
        "$marey" contacts "$pair/source.bvh" --json --quiet >"$pair/plants.json"
    done
done
echo
node experiments/retarget/baselines.mjs "$three" "$folder"/*--*
