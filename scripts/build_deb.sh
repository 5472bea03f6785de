#!/bin/sh
# build_deb.sh - Debian's packages: build_deb.sh OUT. Builds them in a copy of the tree, OUT/tree, with the page's packages as they
# lie in studio/web/node_modules and without asking the network for anything; leaves OUT/*.deb.
set -eu
cd "$(dirname "$0")/.."
[ -d studio/web/node_modules/esbuild ] || {
    echo "the page's packages are missing: run ./dev deb, or npm ci in studio/web" >&2
    exit 1
}
rm -rf "$1"
mkdir -p "$1/tree/studio/web"
out=$(cd "$1" && pwd)
# As a commit would hold them, so that nothing is used that lies here by chance.
PYTHONPATH=scripts python3 -c 'from csource import tree_files; print(end="".join(name + "\0" for name in tree_files()))' |
    tar --create --null --files-from=- | tar --extract --directory="$out/tree"
cp -a studio/web/node_modules "$out/tree/studio/web"
# A Node.js from elsewhere will do as well as Debian's, which dpkg would ask for.
unchecked=
dpkg-query -W -f '${Status}' nodejs 2>/dev/null | grep -q 'ok installed' || unchecked=-d
# Symbols for a debugger would be packages of their own that ./*.deb would install.
cd "$out/tree"
if ! DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS-}" dpkg-buildpackage --no-sign --build=binary $unchecked >../build.log 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\]' ../build.log | tail -n 30 >&2 # without the compiler's command lines
    echo "the packages were not built; $out/build.log has all of it" >&2
    exit 1
fi
