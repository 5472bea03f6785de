#!/bin/sh
# run.sh - what behaviours that were learned from demonstrations are like: experiments/results/puppets.md, pictures in
# docs/pictures/puppets-*.png. A minute or two; needs no real data.
# usage: run.sh BUILD, from the root of the tree.
set -eu
build=$1
folder=$build/experiments/puppets
numbers=$folder/numbers.md
rm -rf "$folder"
mkdir -p "$folder"
printf '# Puppets: all numbers\n\nWritten by `./dev experiment puppets`; what they mean is in [puppets.md](puppets.md).\n' >"$numbers"
for part in identity measures naming loops jitter texture drawings bodies; do
    echo "$part" >&2
    "$build/experiments/puppets_experiment" "$folder" "$part" >>"$numbers"
done
cp "$numbers" experiments/results/puppets.md

# Few colours, where there is ffmpeg.
for picture in "$folder"/puppets-*.png; do
    out=docs/pictures/$(basename "$picture")
    if command -v ffmpeg >/dev/null 2>&1; then
        ffmpeg -nostdin -v error -y -i "$picture" -filter_complex \
            'split[a][b];[a]palettegen=max_colors=32[p];[b][p]paletteuse=dither=none' "$out"
    else
        cp "$picture" "$out"
    fi
done
echo "experiments/results/puppets.md and docs/pictures/puppets-*.png are written"
