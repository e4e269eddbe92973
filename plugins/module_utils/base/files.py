# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that users name: below the working directory, or with ~ for the home directory."""

from __future__ import annotations

import os

from .errors import KopsError


def read_text(path: str) -> str:
    """The text of a file. Raises KopsError if it cannot be read or is no text."""
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise KopsError(f"cannot read {os.path.abspath(os.path.expanduser(path))}: {reason}") from error


def text_or_file(given: str) -> str:
    """A text of several words as it is; a single word is the path of the file with the text. Raises KopsError."""
    return given if len(given.split()) > 1 else read_text(given.strip())
