# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory to which a target writes: what of it differs from what is rendered, and how it is changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ...base.errors import KopsError


def read_file(path: str) -> bytes | None:
    """The content of a file; None if there is none. Raises KopsError if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KopsError(f"cannot read {path}: {error.strerror}") from error


def changed_files(files: Mapping[str, bytes], directory: str) -> dict[str, bytes]:
    """Of rendered files, those that the directory does not hold with the same content.

    Raises KopsError for what is there and cannot be read.
    """
    return {name: content for name, content in files.items() if read_file(os.path.join(directory, name)) != content}


def write_files(files: Mapping[str, bytes], directory: str, *, stale: Iterable[str] = (), last: str = "") -> bool:
    """Make directory hold the rendered files, each replaced atomically; returns whether anything changed.

    Equal files are not touched. stale: files to remove. last: the file that names others, so that it never names one
    that is not there yet. Raises KopsError when the directory cannot be written.
    """
    changed, gone = changed_files(files, directory), [*stale]
    try:
        for place in sorted({os.path.dirname(os.path.join(directory, name)) for name in files}):
            os.makedirs(place, exist_ok=True)
        for name in sorted(changed, key=lambda path: path == last):
            path = os.path.join(directory, name)
            with open(path + ".tmp", "wb") as stream:
                stream.write(changed[name])
            os.replace(path + ".tmp", path)
        for name in gone:
            os.unlink(os.path.join(directory, name))
    except OSError as error:
        raise KopsError(f"cannot write {error.filename or directory}: {error.strerror}") from error
    return bool(changed or gone)
