#!/bin/sh
# build_python.sh - the Python package: build_python.sh BUILD. Lays out what it is made of in BUILD/python/package and makes
# BUILD/python/wheel/marey-*.whl of it, without asking the network for anything.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
python=${MAREY_PYTHON-/usr/bin/python3}
# The same tree gives the same wheel: times are those of the newest version, rights are those of this shell.
umask 022
: "${SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%s)}"
export SOURCE_DATE_EPOCH
package=$build/python/package
rm -rf "$package" "$build/python/wheel"
mkdir -p "$package" "$build/python/wheel"
cp -r python/marey python/native python/setup.py python/pyproject.toml python/build_native.py "$package"
rm -rf "$package/marey/__pycache__"
cp README.md LICENSE "$package"
cp "$build/python/libmarey-python.so" "$package/marey"
[ ! -x "$build/marey-fbx" ] || cp "$build/marey-fbx" "$package/marey"
[ ! -f "$build/studio/player.html" ] || cp "$build/studio/player.html" "$package/marey"
chmod -R u=rwX,go=rX "$package"
# A library with a sanitizer is loaded behind its runtime: MAREY_PRELOAD.
LD_PRELOAD=${MAREY_PRELOAD-} "$python" python/generate.py "$build/python/libmarey-python.so" "$package/marey"
version=$(sed -n 's/^#define MAREY_VERSION_[A-Z]* //p' include/marey/base.h | paste -sd.)
printf '"""_version.py - written by the build, from the public header."""\nversion = "%s"\n' "$version" >"$package/marey/_version.py"
MAREY_INCLUDE=$PWD/include
export MAREY_INCLUDE
cd "$package"
"$python" -m build --wheel --no-isolation --skip-dependency-check --outdir ../wheel . >../build.log 2>&1 || {
    cat ../build.log >&2
    exit 1
}
# Also here, for who tries it in place: PYTHONPATH=BUILD/python/package.
cp build/lib*/marey/_native*.so marey
