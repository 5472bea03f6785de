"""setup.py - the wheel: pyproject.toml says what the package is, this says how its compiled part is made."""
from setuptools import setup
from setuptools.dist import Distribution


class Binary(Distribution):
    """It carries a shared library, so it is for one kind of machine, and for every Python from 3.9 on."""

    def has_ext_modules(self):
        return True


setup(
    distclass=Binary,
    cffi_modules=["build_native.py:ffi"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
