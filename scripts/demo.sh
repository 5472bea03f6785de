#!/bin/sh
# demo.sh PROGRAM FOLDER - the whole story in six chapters, on clips that marey makes itself: import, search, blend, parameterize,
# walk a path, a puppet. Commands are shown as a user types them in FOLDER, where the results stay; FOLDER/index.html tells the
# same with all pictures.
set -eu
program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
cd "$2"
told=$(mktemp)
trap 'rm -f "$told" "$told.lines"' EXIT
marey() { "$program" "$@"; }

# ---- telling ------------------------------------------------------------------------------------

web() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'; }
page() { printf '%s\n' "$*" >>index.html; }
text() { page "$1$(printf '%s' "$2" | web)$3"; }

# Commands that follow each other stand in one block.
block=
open_block() { [ -n "$block" ] || printf '<pre>' >>index.html; block=open; }
close_block() { [ -z "$block" ] || page '</pre>'; block=; }

open_page() {
    cat >index.html <<'PAGE'
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>marey: the story</title>
<style>
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --ground: #fbfbf9; --code: #f0f0ec; --line: #dcdcd4; }
@media (prefers-color-scheme: dark) {
    :root { --ink: #e6e8ec; --soft: #a2abb8; --ground: #15181d; --code: #1f242b; --line: #333a44; }
}
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.2rem 4rem; background: var(--ground); color: var(--ink); font: 17px/1.55 system-ui, sans-serif; }
h1 { font-size: 2.4rem; margin: 0; }
h2 { margin: 0 0 .3rem; }
section { margin-top: 2.2rem; padding-top: 1.6rem; border-top: 1px solid var(--line); }
pre { background: var(--code); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; color: var(--soft); }
pre b { color: var(--ink); font-weight: 600; white-space: pre-wrap; }
figure { margin: 1.2rem 0; }
figure img, figure video { display: block; max-width: 100%; box-sizing: border-box; margin: 0 auto; padding: 8px; background: #fff; border: 1px solid var(--line); border-radius: 8px; }
figcaption, p.small { color: var(--soft); font-size: .9rem; margin-top: .4rem; }
</style>
</head>
<body>
<h1>marey</h1>
<p>For people who own motion capture and want to use it again: find it, mix it, ask it for what it should do, walk it along a path, let it react. This page was made by
<code>./dev demo</code>, with the commands that it shows.</p>
PAGE
}

chapter() { # number, title, what happens
    close_block
    [ "$1" = 1 ] || page '</section>'
    printf '\n%s  %s\n   %s\n\n' "$1" "$2" "$3"
    text '<section><h2>' "$1. $2" '</h2>'
    text '<p>' "$3" '</p>'
}

# Runs a line as it is typed and shows what of its answer has to do with the story, and warnings. A line that fails ends it.
type_in() { # line, which lines of the answer (none)
    printf '   $ %s\n' "$1"
    open_block
    text '<b>$ ' "$1" '</b>'
    if ! eval "$1" >"$told" 2>&1; then
        cat "$told" >&2
        printf 'demo.sh: this failed: %s\n' "$1" >&2
        exit 1
    fi
    grep -E "${2:-^warning}|^warning" "$told" | sed 's/^ */     /' | tee "$told.lines"
    web <"$told.lines" >>index.html
}

shown() { # file, what is in it
    [ -s "$1" ] || { printf 'demo.sh: there is no %s\n' "$1" >&2 && exit 1; }
    printf '   -> %s\n' "$1"
    close_block
}
picture() {
    shown "$@"
    text "<figure><a href=\"$1\"><img src=\"$1\" alt=\"" "$2" '"></a>'
    text '<figcaption>' "$2" '</figcaption></figure>'
}
film() {
    shown "$@"
    text "<figure><video src=\"$1\" controls loop muted></video><figcaption>" "$2" '</figcaption></figure>'
}

# The path that was drawn and where the hips of a clip went, in centimetres seen from above; a dot every second.
draw_path() { # points.csv, clip.bvh, out.svg
    awk -F '[, ]+' '
        function grow(x, z) {
            if (n++ == 0) { left = right = x; top = bottom = z }
            if (x < left) left = x; if (x > right) right = x
            if (z < top) top = z; if (z > bottom) bottom = z
        }
        FNR == NR { drawn = drawn " " $1 "," $2; grow($1, $2); next }
        /^Frame Time/ { motion = 1; next }
        motion { walked = walked " " $1 "," $3; grow($1, $3)
                 if (frame++ % 60 == 0) dots = dots "<circle cx=\"" $1 "\" cy=\"" $3 "\" r=\"7\"/>" }
        END {
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d %d %d %d\" width=\"480\">\n", left - 40, top - 40, right - left + 80, bottom - top + 80
            printf "<polyline points=\"%s\" fill=\"none\" stroke=\"#d9dce1\" stroke-width=\"34\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n", drawn
            printf "<polyline points=\"%s\" fill=\"none\" stroke=\"#0f5db5\" stroke-width=\"5\" stroke-linejoin=\"round\"/>\n<g fill=\"#0f5db5\">%s</g>\n</svg>\n", walked, dots
        }' "$1" "$2" >"$3"
}

# ---- the story ----------------------------------------------------------------------------------

open_page

chapter 1 'Import' 'marey makes thirty takes, so that there is something to import, and gets a library of them ready, which takes some seconds. Then a folder of BVH files becomes a library: one file.'
type_in 'marey demo . --quiet'
type_in 'mkdir -p fights && cp kicks.bvh punches.bvh mixed_fight.bvh small_fight.bvh fights'
type_in 'marey add moves.marey fights --label-from-folder' added
type_in 'marey ls moves.marey' .
type_in 'marey render -L demo.marey --all -o sheet.png'
picture sheet.png 'All thirty takes, two bodies. The bars below a strip are the foot plants, found or known.'

chapter 2 'Search' 'Point at one kick and get every kick, however fast, how high and wherever to. What is found becomes clips.'
type_in 'marey search moves.marey kicks#122-252 --sheet found.png --cut kick' 'clip|kicks|fight|match|made'
picture found.png 'The query and all other kicks with the right foot that there are; one is by the smaller body.'

chapter 3 'Blend' 'A low kick and a high one make one between them: poses, time and planted feet.'
type_in 'marey blend -L moves.marey kick-5 kick-4 --weights 1,1 -o moves.marey:between' 'plants|jump'
for kick in kick-5 between kick-4; do
    type_in "marey render -L moves.marey $kick -o $kick.png --width 1000 --height 220 --poses 11"
done
picture kick-5.png 'The low one'
picture between.png 'The blend: a kick that was never captured'
picture kick-4.png 'The high one'

chapter 4 'Parameterize' 'Fourteen reaches are a family. Say where the hand shall be, and the motion is there: eight new ones, to the right and ahead, from the hips to over the head.'
mkdir -p reaches
for reach in 105-right:-35,105,42 105-ahead:-15,105,48 125-right:-35,125,45 125-ahead:-15,125,48 \
    145-right:-35,145,40 145-ahead:-5,145,50 160-right:-20,160,40 160-ahead:-5,160,45; do
    type_in "marey param make demo.marey reach --at ${reach#*:} -o reaches/${reach%%:*}.bvh" reached
done
type_in 'marey render reaches -o reaches.png'
picture reaches.png 'Left: ahead; right: to the right; from top to bottom: 105, 125, 145 and 160 cm up.'

chapter 5 'Walk a path' 'Draw a path on the floor. A motion graph finds the pieces of walks that go along it, and joins them without a seam.'
cat >path.csv <<'POINTS'
0,0
150,0
300,20
420,80
500,180
540,300
530,420
470,520
370,580
250,590
140,550
20,520
-100,540
-200,610
POINTS
type_in 'marey graph walk demo.marey standard --path path.csv --style walk -o path.bvh' 'path|pieces'
draw_path path.csv path.bvh path.svg
picture path.svg 'Gray: the path that was drawn; blue: where the hips went, a dot every second.'
type_in 'marey render path.bvh -o path.png'
picture path.png 'The same as a film strip. Feet that are planted do not move.'
if command -v ffmpeg >/dev/null 2>&1; then
    type_in 'marey render path.bvh#0s-6s -o path.mp4 --width 640 --height 360'
    film path.mp4 'Six seconds of it'
else
    printf '   no film: the program ffmpeg is not here (Debian: apt install ffmpeg)\n'
fi

chapter 6 'A puppet' 'Show once how one character reacts to another, as two paths, and it reacts to whatever you do. A shy one keeps away; a follower comes along, here with a whole body.'
type_in 'marey puppet train puppets/shy.csv -o shy.puppet' 'wrote|distance|looks'
type_in 'marey puppet run shy.puppet puppets/main.csv -o shy.csv --picture shy.png' reacts
picture shy.png 'Gray: the main character, on a way that was never shown; blue: the shy one. Thin lines join the same moments.'
type_in 'marey graph train demo.marey standard' policy
type_in 'marey puppet run -L demo.marey follower puppets/main.csv -o follower.csv --picture follower.png --graph standard --body follower.bvh' 'reacts|body'
picture follower.png 'The same way, answered by a friendly follower (blue); orange is where its body goes.'
type_in 'marey render follower.bvh#0s-12s -o follower-body.png'
picture follower-body.png 'The body, out of the motion graph: it goes where the follower goes.'

close_block
page '</section><section><h2>Now you</h2>'
page '<p>All of it is in the studio too, by mouse: <code>./dev studio</code>. Or take your own files: <code>marey add mine.marey my-takes/</code>.</p></section>'
page '</body></html>'
printf '\nAll of it, with the pictures: %s/index.html\nThe same by mouse: ./dev studio\n' "$2"
