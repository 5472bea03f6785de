#!/bin/sh
# demo.sh PROGRAM FOLDER - marey's main job on the clips that it makes itself; the results stay in FOLDER.
set -eu
marey=$1
folder=$2
library=$folder/demo.marey
show() {
    printf '\n$ marey'
    printf ' %s' "$@"
    printf '\n'
    "$marey" "$@"
}

show demo "$folder"
show ls "$library"

show info "$folder/kicks.bvh"
show contacts -L "$library" kicks#0-240
show quality -L "$library" walk_straight

show render -L "$library" -o "$folder/sheet.png"
for take in walk_straight kicks cartwheels mixed_home; do
    show render -L "$library" "$take" -o "$folder/$take.png"
done
if command -v ffmpeg >/dev/null 2>&1; then
    show render -L "$library" mixed_play -o "$folder/mixed_play.mp4"
else
    printf '\nno video: the program ffmpeg is not here (Debian: apt install ffmpeg)\n'
fi

show convert "$folder/kicks.bvh" "$folder/kicks-mirrored-30.bvh" --mirror --fps 30
show convert "$folder/walk_fast.bvh#2s-5s" "$folder/walk_fast-in-place.bvh" --in-place
show positions "$folder/kicks.bvh" -o "$folder/kicks.npy"

show index "$library"
show search "$library" kicks#122-252 --sheet "$folder/found.png"

show verify "$library"

printf '\nleft in %s:\n' "$folder"
set -- "$folder"/*.bvh
printf '  %s BVH files\n' "$#"
for file in "$folder"/*; do
    case $file in
    *.bvh) ;;
    *) printf '  %-20s %s bytes\n' "$(basename "$file")" "$(wc -c <"$file")" ;;
    esac
done
