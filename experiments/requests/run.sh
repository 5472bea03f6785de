#!/bin/sh
# run.sh - families as nodes of motion graphs, 200 requests of each on real clips: experiments/results/requests.md. Some five
# minutes of one processor's time.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/requests
if [ ! -f "$mocap/cmu/144_24.bvh" ] || [ ! -d "$mocap/hdm05" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
marey=$build/marey
named() { # clips of the library whose names have this in them, with commas
    "$marey" ls "$folder/hdm.marey" | awk -v part="$1" 'index($1, part) { printf "%s%s", more, $1; more = "," }'
}
{
    "$marey" add "$folder/hdm.marey" "$mocap/hdm05" || true
    "$marey" param build "$folder/hdm.marey" kick --clips "$(named kick)" --feature 'height(left_ankle, highest)'
    "$marey" param build "$folder/hdm.marey" reach --clips "$(named grab)" --feature 'position(right_wrist, apex, start)'
    "$marey" graph build "$folder/hdm.marey" g
    "$marey" add "$folder/cmu.marey" "$mocap"/cmu/144_*.bvh || true
    "$marey" param build "$folder/cmu.marey" reach --query '144_24#82-212' --feature 'position(right_wrist, apex, start)'
    "$marey" param build "$folder/cmu.marey" kick --query '144_05#96-212' --feature 'position(right_ankle, apex, start)'
    "$marey" param build "$folder/cmu.marey" punch --query '144_20#170-230' --feature 'position(right_wrist, apex, start)'
    "$marey" graph build "$folder/cmu.marey" g
} >"$folder/log" 2>&1
{
    printf '# Families in graphs: all numbers\n\nWritten by `./dev experiment requests`; what they mean is in [graphs.md](../../docs/results/graphs.md).\n\n'
    printf '200 requests of each family, two in a walk, every other walk along a path of 6 m. Errors in centimetres, in the generated clip.\n\n'
    printf '| clips | family | examples | frames that lead in / out | asked for until 200 were in reach | error, median | 95 %% | most | jump over 1.1, of these beside a way in or out | most | walks with another fault | foot slide, most cm | from its place on the path, median / 95 %%, cm | time of the search and the clip, over its length |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n'
    "$build/experiments/requests_experiment" "$folder/hdm.marey" 'HDM05, 62 cuts' g kick reach
    "$build/experiments/requests_experiment" "$folder/cmu.marey" 'CMU 144, 11 clips' g reach kick punch
    printf '\nA character in play that is asked for a motion every second, 200 times.\n\n'
    printf '| clips | family | asking, ms | most | a step, us | most | until the motion begins, s |\n|---|---|---|---|---|---|---|\n'
    "$build/experiments/requests_experiment" "$folder/hdm.marey" 'HDM05, 62 cuts' g --play kick reach
    "$build/experiments/requests_experiment" "$folder/cmu.marey" 'CMU 144, 11 clips' g --play reach kick punch
} >"$folder/numbers.md"
cp "$folder/numbers.md" experiments/results/requests.md
echo "experiments/results/requests.md is written"
