#!/bin/sh
# run.sh - the experiments of the chapter on match webs on real clips: experiments/results/webs.md, pictures in
# docs/pictures/webs-*.png. Some nine minutes of one processor's time.
# usage: run.sh BUILD, from the root of the tree. Exit status 77: there are no real clips.
set -eu
build=$1
mocap=${MAREY_MOCAP:-../shared/mocap}
folder=$build/experiments/webs
numbers=$folder/numbers.md

if [ ! -f "$mocap/sets/cmu_sets.txt" ]; then
    echo "skipped: there is no real motion in $mocap" >&2
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
"$build/experiments/webs_experiment" "$mocap" experiments/webs/truth.json "$folder" >"$numbers"

# Cuts that others labelled: with the web's own settings, and with those that were chosen on these very cuts.
retrieval() { # title, arguments
    printf '\n### %s\n\n' "$1"
    shift
    MAREY_MOCAP=$mocap "$build/experiments/webs_retrieval" "$@"
}
{
    printf '\n## Retrieval of cuts: HDM05, actor bd\n'
    retrieval 'By `marey search`, nothing set; what is not found counts as last' poses "$folder"
    rm -f "$folder/cuts.marey"
    retrieval 'By `marey search --nearest 500`: the order alone' poses "$folder" 500
    retrieval 'Default web, threshold and loose ends: 64 cm2, 30 %' 64 0 0.3 60 0.15
    retrieval 'Default web and loose ends: 350 cm2, 30 %' 350 0 0.3 60 0.15
    retrieval 'Default web, for whole cuts: 350 cm2, loose ends of 50 %' 350 0 0.5 60 0.15
    retrieval 'Chosen on these cuts: valid region 25 %, 350 cm2' 350 0 0.3 60 0.25
} >>"$numbers"

# Picking up against putting back, as a file of its own.
mkdir -p "$folder/picking-up"
experiments/webs/picking_up "$build/marey" "$mocap" "$folder/picking-up" >experiments/results/picking-up.md

# The demo clips, whose truth is known: the test says what it found, also where it fails.
if [ -x "$build/tests/stage_match" ]; then
    {
        printf '\n## The demo clips\n\n```\n'
        "$build/tests/stage_match" test_search_demo 2>&1 | grep -E 'example|FAILED|PASSED|rror' || true
        printf '```\n'
    } >>"$numbers"
fi

# The set as a library: what a person waits for.
seconds() { # command...: how long it takes
    from=$(date +%s.%N)
    "$@" >/dev/null
    date +%s.%N | awk -v from="$from" '{ printf "%.2f", $1 - from }'
}
library=$folder/set.marey
clips=$(sed -n '/^\[a_kovar\]/,/TOTAL/s/^  \(cmu\/[^	]*\).*/\1/p' "$mocap/sets/cmu_sets.txt")
if "$build/marey" index --help >/dev/null 2>&1 && "$build/marey" search --help >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    (cd "$mocap" && echo $clips) | tr ' ' '\n' | sed "s|^|$mocap/|" | xargs "$build/marey" add "$library" --quiet >/dev/null
    before=$(wc -c <"$library")
    took=$(seconds "$build/marey" index --web "$library" --quiet)
    after=$(wc -c <"$library")
    {
        printf '\n## The set as a library\n\n'
        printf '`marey index --web` takes %s s and adds %s MB to the file, which has %s MB.\n' "$took" \
            "$(awk "BEGIN { printf \"%.1f\", ($after - $before) / 1e6 }")" "$(awk "BEGIN { printf \"%.1f\", $after / 1e6 }")"
        printf 'A search for a kick by `marey search --web` (a process of its own; the file may be in the cache) takes '
        printf '%s s, once more %s s, its first tier alone %s s.\n' \
            "$(seconds "$build/marey" search "$library" '144_09#342-469' --web --threshold 60 --quiet)" \
            "$(seconds "$build/marey" search "$library" '144_09#342-469' --web --threshold 60 --quiet)" \
            "$(seconds "$build/marey" search "$library" '144_09#342-469' --web --threshold 60 --tiers 1 --quiet)"
    } >>"$numbers"
fi
cp "$numbers" experiments/results/webs.md

# Few colours, where there is ffmpeg.
for picture in "$folder"/webs-*.png; do
    out=docs/pictures/$(basename "$picture")
    if command -v ffmpeg >/dev/null 2>&1; then
        ffmpeg -nostdin -v error -y -i "$picture" -filter_complex \
            'split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none' "$out"
    else
        cp "$picture" "$out"
    fi
done
echo "experiments/results/webs.md and docs/pictures/webs-*.png are written"
