"""build_native.py - the extension module marey._native, made with cffi (API mode, stable ABI).

The compiler holds native/marey.cdef against the library's own headers; native/bridge.h is both the C side's
header and cffi's. The shared library that the module calls lies beside it.
"""
import os
from pathlib import Path

import cffi

here = Path(__file__).resolve().parent
# The package is built in a folder of its own, into which ./dev python lays what it is made of.
include = Path(os.environ.get("MAREY_INCLUDE", here.parent / "include"))
library = here / "marey"


def declarations(name):
    """A header without the lines that only a preprocessor understands."""
    text = (here / "native" / name).read_text()
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


ffi = cffi.FFI()
ffi.cdef(declarations("marey.cdef"))
ffi.cdef(declarations("bridge.h"))
ffi.cdef("""
extern "Python" void marey_python_progress(void *user, const char *text, int64_t done, int64_t total);
extern "Python" marey_status marey_python_rows(void *user, const marey_clip *clip, float *out, marey_error *error);
extern "Python" marey_status marey_python_measure(void *user, const marey_clip *clip, double *value, marey_error *error);
""")
ffi.set_source(
    "marey._native",
    '#include <marey/marey.h>\n#include "bridge.h"\n',
    include_dirs=[str(include), str(here / "native")],
    libraries=["marey-python"],
    library_dirs=[str(library)],
    # What the compiler notes for debuggers does not say where it was built.
    extra_compile_args=["-Wno-unused-function", f"-ffile-prefix-map={include}=include", f"-ffile-prefix-map={here}=."],
    extra_link_args=["-Wl,-rpath,$ORIGIN"],
    py_limited_api=True,
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
