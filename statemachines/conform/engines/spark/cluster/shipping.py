"""Our code on the workers: one zip with this package and the pure Python that it needs.

Workers need PySpark, PyArrow and pandas only; what they lack of ours they get from the session, on
Spark classic and on Connect alike.
"""

from __future__ import annotations

import hashlib
import importlib
import marshal
import os
import pickle
import sys
import tempfile
import zipfile
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import TYPE_CHECKING

from statemachines.logs.layouts.shipped_layouts import ARCHIVED, shipped_layouts
from statemachines.model.kept_values import is_owned_by_user

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SHIPPED_PACKAGES = ("statemachines", "attr", "attrs", "yaml")
"""Top packages of the zip.

Of `yaml` only what is pure Python: it works without its compiled half.
"""

_SHIPPED_FOLDERS = ("conform", "logs", "model", "notation", "semantics")
"""Of our package: what judging imports. Machines travel as compiled plain data."""

_LAYOUTS = f"statemachines/logs/layouts/{ARCHIVED}"

_INCLUDED_SUFFIXES = {".py", ".yaml"}
"""Code, and the data that code reads: the layouts of logs."""

_UNCHECKED = (1).to_bytes(4, "little") + bytes(8)
"""The flags and the hash of code that is not compared with its text."""

_ZIP_ENTRY_TIME = (1980, 1, 1, 0, 0, 0)
"""Zip entries have no real time, so that the same code gives the same zip."""


def ship(spark: SparkSession) -> None:
    """Give a session's workers our code; a second call for the same session does nothing.

    Args:
        spark: A session of Spark classic or Connect.
    """
    if getattr(spark, "_statemachines_shipped", False):
        return
    path = write_code_zip()
    before = list(sys.path)
    spark.addArtifacts(str(path), pyfile=True)
    # classic puts the zip before the driver's own packages, whose PyYAML may be the compiled one
    sys.path[:] = before
    spark._statemachines_shipped = True  # type: ignore[attr-defined]  # a note on the session


def write_code_zip(folder: Path | None = None) -> Path:
    """Write the zip into a folder, unless it is there, and return its path.

    Its name tells its content: Spark classic refuses a second file of the same name with another
    content.

    Args:
        folder: Where to; the system's temporary folder if None.
    """
    files = sorted(
        (name, path.read_bytes(), path)
        for package in _SHIPPED_PACKAGES
        for name, path in _package_files(package)
    )
    digests = [(name, hashlib.sha256(content).digest()) for name, content, _ in files]
    digest = hashlib.sha256(repr((MAGIC_NUMBER, digests)).encode()).hexdigest()[:16]
    target = (folder or Path(tempfile.gettempdir())) / f"statemachines-{digest}.zip"
    if not _is_own_zip(target):
        compiled = [_compiled(*file) for file in files if file[0].endswith(".py")]
        layouts = (_LAYOUTS, pickle.dumps(shipped_layouts()))
        plain = ((name, content) for name, content, _ in files)
        _write_zip(target, [*plain, *compiled, layouts])
    return target


def _compiled(name: str, content: bytes, path: Path) -> tuple[str, bytes]:
    """Return a module as its Python's code, which a worker with the same Python need not compile;
    another Python takes the text.
    """
    code = SourceFileLoader(path.stem, str(path)).source_to_code(content, name)
    return f"{name}c", MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code)


def _package_files(package: str) -> list[tuple[str, Path]]:
    """List the pure Python files of an installed package, and its small data files, with their
    names in the zip.
    """
    folder = Path(str(importlib.import_module(package).__file__)).parent
    included = (
        path.relative_to(folder.parent)
        for path in folder.rglob("*")
        if path.suffix in _INCLUDED_SUFFIXES
    )
    return [(name.as_posix(), folder.parent / name) for name in included if _is_needed(name)]


def _is_needed(name: Path) -> bool:
    """Tell whether workers need a file."""
    return name.parts[0] != "statemachines" or name.parts[1] in (*_SHIPPED_FOLDERS, "__init__.py")


def _is_own_zip(path: Path) -> bool:
    """Tell whether a finished zip of this user is there; in a shared temporary folder, another's is
    not to be trusted.
    """
    try:
        with path.open("rb") as opened:
            return is_owned_by_user(os.fstat(opened.fileno())) and zipfile.is_zipfile(opened)
    except OSError:
        return False


def _write_zip(target: Path, files: list[tuple[str, bytes]]) -> None:
    """Write a zip beside its place and move it there, so that no other process sees half of it."""
    handle, draft = tempfile.mkstemp(dir=target.parent, suffix=".zip")
    with (
        os.fdopen(handle, "wb") as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, _ZIP_ENTRY_TIME), content, zipfile.ZIP_DEFLATED)
    Path(draft).replace(target)
