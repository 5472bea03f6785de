#!/bin/sh
# install_python.sh - the Python package as its users get it: install_python.sh BUILD makes the wheel and installs it offline into
# a fresh environment with Debian's numpy, BUILD/python/venv. Where several tests need it ctest does it before them, once, and
# says so in MAREY_PYTHON_INSTALLED.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
python=${MAREY_PYTHON-/usr/bin/python3}
venv=$build/python/venv
"$python" -c 'import build, cffi, numpy, setuptools, wheel, venv' 2>/dev/null || {
    echo "skipped: Debian's packages for Python are missing: ./dev python installs them"
    exit 77
}
[ -z "${MAREY_PYTHON_INSTALLED-}" ] || exit 0
scripts/build_python.sh "$build"
rm -rf "$venv"
"$python" -m venv --system-site-packages "$venv"
"$venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$build"/python/wheel/*.whl
