#!/bin/sh
# run.sh - the experiments on motion graphs of Zhao & Safonova on real clips: experiments/results/graphs.md, pictures in
# docs/pictures/graphs-*.png. Half an hour of one processor's time.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/graphs
numbers=$folder/numbers.md
if [ ! -f "$mocap/sets/cmu_sets.txt" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
printf '# Motion graphs: all numbers\n\nWritten by `./dev experiment graphs`; what they mean is in [graphs.md](../../docs/results/graphs.md).\n' >"$numbers"
for part in thresholds small c3 c3-rest no-dwell suboptimality sizes control larger costs ways goals; do
    if [ "$part" = goals ]; then
        [ -f "$mocap/cmu_large.marey" ] || continue
        cp "$mocap/cmu_large.marey" "$folder/clips.marey"
        chmod u+w "$folder/clips.marey"
    fi
    echo "$part" >&2
    "$build/experiments/graphs_experiment" "$mocap" experiments/graphs/labels.json "$folder" "$part" >>"$numbers"
done
cp "$numbers" experiments/results/graphs.md

# Few colours, where there is ffmpeg.
for picture in "$folder"/graphs-*.png; do
    out=docs/pictures/$(basename "$picture")
    if command -v ffmpeg >/dev/null 2>&1; then
        ffmpeg -nostdin -v error -y -i "$picture" -filter_complex \
            'split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none' "$out"
    else
        cp "$picture" "$out"
    fi
done
echo "experiments/results/graphs.md and docs/pictures/graphs-*.png are written"
