"""The program that comes with the package."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

NAME = "tomeval.exe" if sys.platform == "win32" else "tomeval"


class NotInstalled(FileNotFoundError):
    """The program `tomeval` is not where the package was installed, nor on PATH."""


def find_program() -> str:
    """Path of the program: where installers put scripts, else on PATH; the variable TOMEVAL_PROGRAM goes first."""
    named = os.environ.get("TOMEVAL_PROGRAM")
    if named:
        return named
    places = list(_places())
    for place in places:
        program = place / NAME
        if program.is_file():
            return str(program)
    found = shutil.which(NAME)
    if found:
        return found
    looked = ", ".join(map(str, places))
    raise NotInstalled(f"{NAME} is neither on PATH nor in {looked}; `pip install tomeval` or set TOMEVAL_PROGRAM")


def _places():
    """Folders of scripts, the nearest to this package first."""
    site = Path(__file__).resolve().parent.parent
    # `pip install --target DIR` puts scripts into DIR/bin; tools that lay environments over each other keep both apart.
    yield site / "bin"
    # SITE is PREFIX/lib/python3.X/site-packages, or PREFIX\Lib\site-packages.
    for up in (3, 2):
        if len(site.parents) >= up:
            yield site.parents[up - 1] / ("Scripts" if sys.platform == "win32" else "bin")
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", vars={"base": sys.base_prefix}))
    yield Path(sysconfig.get_path("scripts", scheme=f"{os.name}_user"))
