#!/bin/sh
# Walks along 60 paths of all kinds through the demo's graph: experiments/results/paths.md.
# usage: run.sh BUILD
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/marey" demo "$work/demo" --quiet
{
    cat experiments/paths/head.md
    python3 experiments/paths/walk_paths.py "$build/marey" "$work/demo/demo.marey" \
        tests/data/paths/drawn.txt "$work"
} >"$work/paths.md"
mv "$work/paths.md" experiments/results/paths.md
tail -1 experiments/results/paths.md
