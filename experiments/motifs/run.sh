#!/bin/sh
# run.sh - what repeats, where it is known: in the labelled cuts of HDM05 and in the demo takes, and in the large library:
# experiments/results/motifs.md, pictures in docs/pictures/motifs-*.png. Status 77 without real data.
# usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
data=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/motifs
numbers=$folder/numbers.md
[ -f "$data/cmu_large.marey" ] && [ -d "$data/hdm05" ] || {
    echo "skipped: there is no $data/cmu_large.marey or $data/hdm05 (docs/data.md says where to get it)"
    exit 77
}
rm -rf "$folder"
mkdir -p "$folder"
"$build/marey" demo "$folder/demo" --quiet
for class in "$data"/hdm05/*/; do
    "$build/marey" add "$folder/hdm05.marey" "$class" --skeleton "$data/hdm05/HDM_bd.asf" --label "$(basename "$class")" --quiet
done
{
    printf '# Motifs: all numbers\n\nWritten by `./dev experiment motifs`; what they mean is in [motifs.md](../../docs/results/motifs.md).\n'
    for library in hdm05 demo/demo; do
        "$build/marey" motifs "$folder/$library.marey" --json >"$folder/motifs.json"
        "$build/marey" ls "$folder/$library.marey" --json >"$folder/clips.json"
        python3 experiments/motifs/judge.py "$folder/motifs.json" "$folder/clips.json" "$folder/demo/truth.json"
    done
    printf '\n## cmu_large.marey\n\n```\n'
    "$build/bench/bench_motifs" "$data/cmu_large.marey" 2 "$folder/motifs-cmu-occurrences.png"
    printf '```\n'
} >"$numbers"
"$build/marey" motifs "$folder/demo/demo.marey" --limit 9 -o "$folder/motifs-demo.png" --quiet
"$build/marey" motifs "$data/cmu_large.marey" -o "$folder/motifs-cmu.png" --quiet
cp "$numbers" experiments/results/motifs.md

# Few colours, where there is ffmpeg; of 120 strips a smaller picture.
for picture in "$folder"/motifs-*.png; do
    out=docs/pictures/$(basename "$picture")
    case $picture in *occurrences*) size='scale=iw*0.4:-1:flags=area,' colours=16 ;; *) size= colours=64 ;; esac
    if command -v ffmpeg >/dev/null 2>&1; then
        ffmpeg -nostdin -v error -y -i "$picture" -filter_complex \
            "${size}split[a][b];[a]palettegen=max_colors=$colours[p];[b][p]paletteuse=dither=none" "$out"
    else
        cp "$picture" "$out"
    fi
done
echo "experiments/results/motifs.md and docs/pictures/motifs-*.png are written"
