#!/bin/sh
# run.sh BUILD - real clips on other bodies and back again: the table of docs/results/retarget.md. Status 77 without real data.
# usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
[ -d "$mocap/cmu" ] || {
    echo "skipped: there is no $mocap/cmu (docs/data.md says where to get it)"
    exit 77
}
MAREY_FBX_READER="$build/marey-fbx" "$build/experiments/retarget_experiment" --CMU "$mocap"/cmu/*.bvh --Bandai "$mocap"/bandai/*.bvh \
    --HDM05 "$mocap"/hdm05/*/*.amc --ACCAD "$mocap"/accad/*.bvh --rigs "$mocap"/rigs/fbx/samba_dancing.fbx "$mocap"/rigs/gltf/*[nre].glb
