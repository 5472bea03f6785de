#!/bin/sh
# run.sh - the experiments on motion graphs of Zhao & Safonova on real clips: experiments/results/graphs.md, pictures in
# docs/pictures/graphs-*.png. Half an hour of one processor's time; with `goals` only the last table, walks that are at places at
# times, again: five minutes.
# usage: run.sh BUILD [goals], from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
only=${2-}
results=experiments/results/graphs.md
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/graphs
numbers=$folder/numbers.md
if [ ! -f "$mocap/sets/cmu_sets.txt" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
part() {
    "$build/experiments/graphs_experiment" "$mocap" experiments/graphs/labels.json "$folder" "$1"
}
# Two actors side by side, one processor each.
goals() {
    cp "$mocap/cmu_large.marey" "$folder/clips.marey"
    chmod u+w "$folder/clips.marey"
    part goals-stops >"$folder/stops.md" &
    stops=$!
    part goals
    wait "$stops"
    cat "$folder/stops.md"
}
if [ "$only" = goals ]; then
    [ -f "$mocap/cmu_large.marey" ] || { echo "skipped: there is no cmu_large.marey in $mocap" >&2; exit 77; }
    goals >"$folder/goals.md"
    # Its table is the last one of the page.
    { awk '/^## Goals at times$/ { exit } /^$/ { blank = blank "\n"; next } { printf "%s%s\n", blank, $0; blank = "" }' "$results" && cat "$folder/goals.md"; } >"$numbers"
    cp "$numbers" "$results"
    cat "$folder/goals.md"
    exit 0
fi
printf '# Motion graphs: all numbers\n\nWritten by `./dev experiment graphs`; what they mean is in [graphs.md](../../docs/results/graphs.md).\n' >"$numbers"
for name in thresholds small c3 c3-rest no-dwell suboptimality sizes control larger costs ways; do
    echo "$name" >&2
    part "$name" >>"$numbers"
done
echo goals >&2
[ ! -f "$mocap/cmu_large.marey" ] || goals >>"$numbers"
cp "$numbers" "$results"

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
