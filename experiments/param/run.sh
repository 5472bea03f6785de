#!/bin/sh
# run.sh - the experiments of the chapter on parameterized motion: experiments/results/param.md and families.md.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/param
if [ ! -f "$mocap/sets/cmu_sets.txt" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
clips=$(sed -n '/^\[a_kovar\]/,/TOTAL/s/^  \(cmu\/[^	]*\).*/\1/p' "$mocap/sets/cmu_sets.txt")
echo "$clips" | sed "s|^|$mocap/|" | xargs "$build/marey" add "$folder/set.marey" --quiet >/dev/null
"$build/marey" index --web "$folder/set.marey" --quiet >/dev/null
"$build/marey" demo "$folder/demo" --quiet >/dev/null
"$build/experiments/param_experiment" "$folder/set.marey" "$folder/demo/demo.marey" >"$folder/numbers.md"
# Cartwheels from files to a family in one command, as the text has them from its raw motion.
program=$(cd "$build" && pwd)/marey
library=$(cd "$folder" && pwd)/cartwheels.marey
set -- cartwheel 144_01.bvh 49_06.bvh --query 144_01.bvh#220-418 --threshold 300 --feature
{
    printf '\n## Cartwheels, from files to a family in one command\n\n```\n'
    echo "\$ marey param build cartwheels.marey $* 'place()'"
    (cd "$mocap/cmu" && "$program" param build "$library" "$@" 'place()')
    echo '```'
} >>"$folder/numbers.md"
cp "$folder/numbers.md" experiments/results/param.md
echo "wrote experiments/results/param.md"
experiments/param/what_belongs "$program" "$folder/set.marey" experiments/webs/truth.json "$folder" >"$folder/families.md"
cp "$folder/families.md" experiments/results/families.md
echo "wrote experiments/results/families.md; sheets of examples are in $folder"
