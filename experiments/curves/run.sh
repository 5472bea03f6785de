#!/bin/sh
# run.sh - the figures of the paper on registration curves, on real clips: experiments/results/curves.md, clips and pictures in
# BUILD/experiments/curves. usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}/cmu
folder=$build/experiments/curves
numbers=$folder/numbers.md
stage=$build/experiments/curves_experiment

if [ ! -f "$mocap/143_32.bvh" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"

# ---- the pieces: all at 60 frames a second; locomotion starts and ends where the left heel comes down ---------------

piece() { # name, clip of CMU, frames, the rate it was captured at, more options of convert
    name=$1
    from="$mocap/$2.bvh#$3"
    rate=$4
    shift 4
    "$build/marey" convert "$from" "$folder/$name.bvh" --source-fps "$rate" --fps 60 --quiet "$@"
}
piece walk 143_32 86-258 60
piece walk-straight 143_32 546-681 60
piece walk-left 143_38 991-1130 60
piece walk-right 143_38 494-637 60
piece curve-right 143_38 494-710 60
piece curve-left 143_38 918-1130 60
piece walk-on 143_32 86-291 60
piece walk-back 143_29 162-389 60
piece turn-left 143_32 340-520 60
piece turn-right 91_57 895-1177 120
piece jog 143_01 1-101 60
piece jog-straight 143_01 10-96 60
piece jog-left 38_03 228-402 120
piece jog-right 38_03 187-358 120 --mirror # the circle is run one way only; it starts with the right foot, so the mirrored with the left
piece sneak 120_12 82-955 120
piece sneak-straight 120_12 200-719 120
piece kick-low 144_05 1540-1750 120
piece kick-middle 144_05 1746-1956 120
piece kick-high 144_05 2165-2385 120
piece punch-inside 144_20 682-746 120
piece punch-outside 144_20 878-942 120
piece jab 144_20 1936-1988 120
piece strong-punch 13_18 2092-2176 120

"$build/marey" demo "$folder/demo" --quiet >/dev/null
made_piece() { # name, take, frames
    "$build/marey" convert "$folder/demo/$2.bvh#$3" "$folder/$1.bvh" --quiet
}
made_piece made-walk walk_straight 186-465
made_piece made-walk-left walk_left 689-968
made_piece made-walk-right walk_right 639-918
made_piece made-jog jog_straight 175-358
made_piece made-jog-left jog_curve 202-385
made_piece made-jog-right jog_curve 635-818
made_piece made-sneak sneak_straight 198-624
made_piece made-sneak-left sneak_curve 200-626
made_piece made-sneak-right sneak_curve 908-1333

# ---- one table of everything that is made -----------------------------------------------------------------------

value() { # key, name of what was made: the last number of that key
    sed 's/.*"'"$1"'":\([^],}]*\).*/\1/' "$folder/$2.json"
}
# The root of the mean distance of the alignments, of a transition the root of the cost of its cut: cm.
apart() {
    grep -oE '"(mean_distance|cost)":[0-9.e+-]+' "$folder/$1.json" | sed 's/.*://' |
        awk '{ s += $1; n++ } END { if (n) printf "%.1f", sqrt(s / n); else printf "-" }'
}
row() { # name, method, inputs as the measures want them
    name=$1
    method=$2
    shift 2
    printf '| %s | %s | %s | %s | %s | %.2f | %.3f | %.1f | %.2f | ' "$name" "$method" "$(value frames "$name")" \
        "$(apart "$name")" "$(value plants "$name")" "$(value slide_before_cm "$name")" \
        "$(value slide_after_cm "$name")" "$(value root_moved_cm "$name")" "$(value jump_ratio "$name")" >>"$numbers"
    cells=$("$stage" measure "$folder/$name.bvh" "$@")
    printf '%s |\n' "$cells" >>"$numbers"
}
make_transition() { # name, method, first, second, more options
    name=$1
    method=$2
    a=$3
    b=$4
    shift 4
    "$build/marey" transition "$folder/$a.bvh" "$folder/$b.bvh" --method "$method" -o "$folder/$name.bvh" --json --quiet "$@" \
        >"$folder/$name.json"
    row "$name" "$method" "$folder/$a.bvh" "$folder/$b.bvh"
}
make_blend() { # name, method, "clips", "weights" or a file of them, more options
    name=$1
    method=$2
    clips=$3
    weights=$4
    shift 4
    case $weights in
    *.csv) set -- --weights-file "$weights" "$@" ;;
    *) set -- --weights "$(echo "$weights" | tr ' ' ',')" "$@" ;;
    esac
    for clip in $clips; do set -- "$@" "$folder/$clip.bvh"; done
    "$build/marey" blend --method "$method" -o "$folder/$name.bvh" --json --quiet "$@" >"$folder/$name.json"
    set --
    for clip in $clips; do
        case $weights in
        *.csv) set -- "$@" "$folder/$clip.bvh" ;;
        *)
            set -- "$@" "$folder/$clip.bvh:${weights%% *}"
            weights=${weights#* }
            ;;
        esac
    done
    row "$name" "$method" "$@"
}

cat >"$numbers" <<'TEXT'
# Blending: the numbers

Written by `./dev experiment curves`; what they mean is in [curves.md](curves.md).

| clip | method | frames | apart, cm | plants | slide before, cm | after, cm | root moved, cm | jump | knee | bend | way, cm | turn, deg a frame |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
TEXT

# Figure 1: over two cycles of the jog, the middle where both have the left foot down.
for method in registered untimed linear; do
    make_transition "walk-jog-$method" "$method" walk jog --at 82,57 --half 42
    # As it is before feet are held, to look at.
    "$build/marey" transition "$folder/walk.bvh" "$folder/jog.bvh" --at 82,57 --half 42 --method "$method" --no-clean --quiet \
        -o "$folder/walk-jog-$method-loose.bvh"
    make_blend "punches-$method" "$method" "jab strong-punch" "0.5 0.5"
done
# Without timewarp it matters most what falls together: here both begin where the left heel comes down, so the middle does not.
make_transition walk-jog-together untimed walk jog --at 43,53 --half 42
"$build/marey" transition "$folder/walk.bvh" "$folder/jog.bvh" --at 43,53 --half 42 --method untimed --no-clean --quiet \
    -o "$folder/walk-jog-together-loose.bvh"
# Figure 2.
for method in registered untimed linear; do
    make_blend "curving-$method" "$method" "curve-left curve-right" "0.5 0.5"
done
# Figures 4 and 7. Of an actor who crouches that deep the whole body says little about the phase of a step; the legs do.
legs="--joints hips=1,hip=1,knee=1,ankle=1,toe=1"
"$build/marey" align "$folder/walk.bvh" "$folder/sneak.bvh" --through 76,212 -o "$folder/grid-body.png" --quiet
"$build/marey" align "$folder/walk.bvh" "$folder/sneak.bvh" --through 76,212 --joints knee=1,ankle=1,toe=1 \
    -o "$folder/grid-legs.png" --quiet
# shellcheck disable=SC2086
for method in registered untimed linear; do
    make_transition "jog-sneak-$method" "$method" jog sneak --at 54,214 --half 30 $legs
done
# Figure 8 and section 6.2.
for share in 0 0.25 0.5 0.75 1; do
    rest=$(awk "BEGIN { print 1 - $share }")
    make_blend "walk-turn-$share" registered "walk-on walk-back" "$rest $share"
    make_blend "in-place-$share" registered "turn-left turn-right" "$rest $share"
    make_blend "punch-$share" registered "punch-inside punch-outside" "$rest $share"
done
make_blend kick-1-1-1 registered "kick-low kick-middle kick-high" "1 1 1"
make_blend kick-1-1-0 registered "kick-low kick-middle kick-high" "1 1 0"
make_blend kick-0-1-1 registered "kick-low kick-middle kick-high" "0 1 1"
make_blend kick-1-0-1 registered "kick-low kick-middle kick-high" "1 0 1"
make_blend kick-0-n1-3 registered "kick-low kick-middle kick-high" "0 -1 3" # beyond what was captured

# Figure 9. No real clip sneaks in a curve: seven of them, and nine that were made.
cat >"$folder/seven.csv" <<'TEXT'
time,walk,left,right,jog,left,right,sneak
0,1,0,0,0,0,0,0
0.3,1,0,0,0,0,0,0
0.8,0,1,0,0,0,0,0
1.2,0,0,0,0,1,0,0
1.5,0,0,0,0,0,1,0
1.9,0,0,0,0,0,0,1
TEXT
make_blend seven registered "walk-straight walk-left walk-right jog-straight jog-left jog-right sneak-straight" \
    "$folder/seven.csv" --slope 3
cat >"$folder/nine.csv" <<'TEXT'
time,walk,left,right,jog,left,right,sneak,left,right
0,1,0,0,0,0,0,0,0,0
0.5,1,0,0,0,0,0,0,0,0
0.9,0,1,0,0,0,0,0,0,0
1.5,0,0,0,0,1,0,0,0,0
2.1,0,0,0,0,0,1,0,0,0
2.5,0,0,1,0,0,0,0,0,0
3,0,0,0,0,0,0,0,0,1
4,0,0,0,0,0,0,0,1,0
TEXT
make_blend nine registered "made-walk made-walk-left made-walk-right made-jog made-jog-left made-jog-right made-sneak \
made-sneak-left made-sneak-right" "$folder/nine.csv"

# ---- what the weights control -----------------------------------------------------------------------------------

describe() { # files, each with the clip's name as its label
    for name in "$@"; do
        set -- "$@" "$folder/$name.bvh=$name"
        shift
    done
    "$stage" describe "$@" >>"$numbers"
}
cat >>"$numbers" <<'TEXT'

| clip | s | cm/s | turns by, deg | hand from shoulder, cm | goes out, times | towards, deg | ankle as high as, cm |
|---|---|---|---|---|---|---|---|
TEXT
describe walk-on walk-turn-0 walk-turn-0.25 walk-turn-0.5 walk-turn-0.75 walk-turn-1 walk-back
describe turn-left in-place-0 in-place-0.25 in-place-0.5 in-place-0.75 in-place-1 turn-right
describe jab strong-punch punches-registered punches-untimed punches-linear
describe punch-inside punch-0 punch-0.25 punch-0.5 punch-0.75 punch-1 punch-outside
describe kick-low kick-middle kick-high kick-1-1-0 kick-1-1-1 kick-0-1-1 kick-1-0-1 kick-0-n1-3

# ---- the best transition between every two clips ----------------------------------------------------------------

printf '\n## The best transition of every pair\n\n' >>"$numbers"
"$build/experiments/sweep_transitions" "$(dirname "$mocap")" "$folder/transitions.txt" >>"$numbers"
cp "$numbers" experiments/results/curves.md

# ---- pictures ---------------------------------------------------------------------------------------------------

strip() { # name, height, poses, more options of render
    name=$1
    shift
    "$build/marey" render "$folder/$name.bvh" -o "$folder/strip-$name.png" --quiet --width 1100 --height "$1" --poses "$2"
}
at() { # label of a clip: file=label
    echo "$folder/$1.bvh=$2"
}
"$stage" limbs "$folder/leg.png" right-leg 3 "$(at walk-jog-registered-loose 'with timewarp')" \
    "$(at walk-jog-untimed-loose 'without, in phase in the middle')" "$(at walk-jog-together-loose 'without, in phase at the start')"
"$stage" limbs "$folder/arm.png" right-arm 1 "$(at jab jab)" "$(at strong-punch 'slower, stronger punch')" \
    "$(at punches-registered 'half of each, with timewarp')" "$(at punches-untimed without)"
"$stage" paths "$folder/curving.png" hips "$(at curve-left 'captured')" "$(at curve-right captured)" \
    "$(at curving-registered 'registered')" "$(at curving-linear linear)"
"$stage" paths "$folder/turning.png" hips "$(at walk-on 'captured, straight on')" "$(at walk-back 'captured, back')" \
    "$(at walk-turn-0.25 '1/4')" "$(at walk-turn-0.5 '1/2')" "$(at walk-turn-0.75 '3/4')"
"$stage" paths "$folder/punching.png" right_wrist "$(at punch-inside captured)" "$(at punch-outside captured)" \
    "$(at punch-0.25 '1/4')" "$(at punch-0.5 '1/2')" "$(at punch-0.75 '3/4')"
"$stage" paths "$folder/control.png" hips "$(at seven 'seven real motions')" "$(at nine 'nine made motions')"
for name in walk-jog-registered jog-sneak-registered walk-turn-0.5 in-place-0.25 seven nine curving-registered curving-linear; do
    strip "$name" 240 14
done
for name in kick-low kick-1-1-0 kick-1-1-1 kick-0-1-1 kick-high; do strip "$name" 200 11; done

# Pictures that belong together in one, in few colours, where there is ffmpeg.
command -v ffmpeg >/dev/null 2>&1 || exit 0
join() { # how they are laid out, out, files
    how=$1
    out=$2
    shift 2
    for file in "$@"; do
        set -- "$@" -i "$folder/$file"
        shift
    done
    ffmpeg -v error -y "$@" -filter_complex \
        "$how,split[a][b];[a]palettegen=max_colors=48[p];[b][p]paletteuse=dither=none" "$folder/$out.png"
}
stack='pad=1120:ih:0:0:white'
join null curves-walk-jog leg.png
join null curves-punches arm.png
join '[0]pad=iw+40:545:0:0:white[l];[1]pad=iw:545:0:0:white[r];[l][r]hstack' curves-paths curving.png turning.png
join '[0]scale=1000:-1[l];[1]scale=1000:-1[r];[l][r]vstack' curves-walk-sneak grid-body.png grid-legs.png
join "[0]${stack}[x];[1]${stack}[y];[x][y]vstack" curves-jog-sneak strip-walk-jog-registered.png strip-jog-sneak-registered.png
join vstack=inputs=5 curves-kicks strip-kick-low.png strip-kick-1-1-0.png strip-kick-1-1-1.png strip-kick-0-1-1.png strip-kick-high.png
join null curves-in-place strip-in-place-0.25.png
join null curves-punch-direction punching.png
join "[0]${stack}[x];[1]${stack}[y];[x][y]vstack" curves-control strip-seven.png strip-nine.png
join null curves-control-paths control.png
echo "experiments/results/curves.md is written; pictures are in $folder"
