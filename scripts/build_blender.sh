#!/bin/sh
# build_blender.sh - the add-on for Blender: build_blender.sh BUILD makes BUILD/blender/marey_blender.zip, with the Python
# package in it, which build_python.sh has laid out, and the part of cffi that it needs: Blender's own Python may have none.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
python=${MAREY_PYTHON-/usr/bin/python3}
addon=$build/blender/marey_blender
umask 022 # rights are kept in the zip
rm -rf "$build/blender"
mkdir -p "$addon/vendor"
cp blender/marey_blender/*.py blender/LICENSE blender/README.md "$addon"
cp -r "$build/python/package/marey" "$addon/vendor"
# What the add-on does not use: the player of notebooks, and the reader of FBX, which could not be run as it comes out of a zip.
rm -rf "$addon/vendor/marey/__pycache__" "$addon/vendor/marey/player.html" "$addon/vendor/marey/marey-fbx"
cp LICENSE "$addon/vendor/marey"
cp "$("$python" -c 'import _cffi_backend; print(_cffi_backend.__file__)')" "$addon/vendor"
chmod -R u=rwX,go=rX "$addon"
cd "$build/blender"
"$python" - <<'TEXT'
"""The same files, the same bytes."""
import os
import zipfile

with zipfile.ZipFile("marey_blender.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, files in sorted(os.walk("marey_blender")):
        for name in sorted(files):
            path = os.path.join(folder, name)
            facts = zipfile.ZipInfo(path)
            facts.external_attr = (os.stat(path).st_mode & 0o777) << 16
            facts.compress_type = zipfile.ZIP_DEFLATED
            with open(path, "rb") as file:
                archive.writestr(facts, file.read())
TEXT
