#!/bin/sh
# run.sh - the metrics paper's experiments on real clips: experiments/results/metrics.md, pictures in BUILD/experiments/metrics.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/metrics
walk=$mocap/cmu/91_57.bvh
run=$mocap/cmu/38_03.bvh

if [ ! -f "$walk" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
"$build/experiments/metrics_experiment" "$mocap" "$folder" >"$folder/numbers.md"
cp "$folder/numbers.md" experiments/results/metrics.md

# Figure 19: the best pair by curvature, cut plainly and smoothed; the strips show a second on either side of the seam.
cut() { # name, more options of similar
    name=$1
    shift
    "$build/marey" similar "$walk#281-861" "$run#1-762" --fps 30 --joints lee --metric curvature --quiet --json \
        --cut "$folder/$name.bvh" "$@" >"$folder/$name.json"
    at=$(sed 's/.*"pairs":\[\[\([0-9]*\),.*/\1/' "$folder/$name.json")
    at=$((at - 281))
    from=$((at > 100 ? at - 100 : 0))
    "$build/marey" render "$folder/$name.bvh#$from-$((at + 100))" -o "$folder/$name.png" --quiet \
        --width 1100 --height 260 --poses 14
}
cut cut-plain
cut cut-smooth --smooth 80 # 20 frames at 30 a second

# Pictures that belong together in one, in few colours, where there is ffmpeg.
command -v ffmpeg >/dev/null 2>&1 || exit 0
join() { # columns kept of each picture, how they are laid out, out, files
    columns=$1
    how=$2
    out=$3
    shift 3
    chain=
    names=
    number=0
    for file in "$@"; do
        set -- "$@" -i "$folder/$file"
        shift
        chain="${chain}[$number]crop=$columns:ih:0:0[c$number];"
        names="${names}[c$number]"
        number=$((number + 1))
    done
    ffmpeg -v error -y "$@" -filter_complex \
        "$chain$names$how,split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none" "$folder/$out.png"
}
four='xstack=inputs=4:layout=0_0|w0_0|0_h0|w0_h0'
join 470 hstack metrics-weights weights-walk-run-0.png weights-walk-run-1.png
join 470 hstack metrics-normalisers normalised-2.png normalised-25.png
join iw null metrics-smoothing smoothing.pgm
join iw scale=iw*2:ih*2:flags=neighbor metrics-stages stages.pgm
join 430 "$four" metrics-levels level-cmu-0.png level-cmu-1.png level-cmu-2.png level-cmu-3.png
join 580 "$four" metrics-set-b set-b-curvature.png set-b-points.png set-b-angles.png set-b-positions.png
join iw vstack metrics-cuts cut-plain.png cut-smooth.png
echo "experiments/results/metrics.md is written; pictures are in $folder"
