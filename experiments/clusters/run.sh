#!/bin/sh
# run.sh - the experiments of Basu, Shanbhag & Chandran on real clips: experiments/results/clusters.md, pictures in
# docs/pictures/clusters-*.png. A minute or two.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/clusters
numbers=$folder/numbers.md
if [ ! -f "$mocap/sets/cmu_sets.txt" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
printf '# Query by example and cluster graphs: all numbers\n\nWritten by `./dev experiment clusters`; what they mean is in [clusters.md](clusters.md).\n' >"$numbers"
for part in table ways degrees finer; do
    echo "$part" >&2
    "$build/experiments/clusters_experiment" "$mocap" "$folder" "$part" >>"$numbers"
done

# Figures 2 and 3 by the program itself.
cmu=$mocap/cmu
library=$folder/walks.marey
"$build/marey" add "$library" "$cmu/07_01.bvh" "$cmu/16_15.bvh" "$cmu/91_57.bvh" "$cmu/137_24.bvh" --quiet >/dev/null
"$build/marey" cluster build "$library" walks --quiet >/dev/null
"$build/marey" cluster show "$library" walks -o "$folder/clusters-graph.png" --quiet >/dev/null
"$build/marey" cluster stitch "$library" walks 07_01 91_57 -o "$folder/stitch.bvh" --plot "$folder/clusters-stitch.png" \
    --dof LeftUpLeg.Xrotation,LeftLeg.Xrotation,LeftArm.Xrotation --quiet >/dev/null
cp "$numbers" experiments/results/clusters.md
cp "$folder"/clusters-*.png docs/pictures/
echo "experiments/results/clusters.md and docs/pictures/clusters-*.png are written"
