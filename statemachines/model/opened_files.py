"""Opening files that may be pipes."""

from __future__ import annotations

import errno
import os
import select
import stat
from typing import BinaryIO

_PIPE_WAIT_S = 3
"""How long a pipe may keep its reader waiting for its first byte."""


class NotText(ValueError):
    """A file that is no text in UTF-8; the message names it."""


def open_for_reading(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file; a pipe only if somebody writes to it, or begins to soon.

    Args:
        path: of the file.

    Returns:
        The file, at its first byte.

    Raises:
        OSError: it cannot be read, or nobody writes to it: opening such a pipe as a file is would
            wait for ever.
    """
    is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    return open(path, "rb", opener=_open_pipe if is_pipe else None)


def _open_pipe(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_NONBLOCK)
    if not select.select([handle], [], [], _PIPE_WAIT_S)[0]:
        os.close(handle)
        raise OSError(
            errno.EAGAIN,
            f"it is a pipe, and nobody has written to it within {_PIPE_WAIT_S} seconds",
            path,
        )
    os.set_blocking(handle, True)
    return handle


def refuse_device(path: str | os.PathLike[str]) -> None:
    """Take standard input by its name, and nothing; no other device ends.

    Args:
        path: of a file.

    Raises:
        OSError: it is not there, or another device.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) or os.path.realpath(path) == os.devnull:
        return
    if not os.path.samefile(path, "/dev/stdin"):
        raise OSError(errno.EINVAL, "it is a device, which may never end", str(path))


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a whole file of UTF-8, with a byte order mark or without; a pipe only if somebody
    writes to it, and no device.

    Args:
        path: of the file.

    Returns:
        Its text.

    Raises:
        OSError: it cannot be read.
        NotText: it is no text in UTF-8; the message names the file.
    """
    refuse_device(path)
    with open_for_reading(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotText(f"{os.fspath(path)}: it is no text in UTF-8") from None
