# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store, as an instance reads and writes it."""

from __future__ import annotations

from typing import Protocol


class Store(Protocol):
    """Files by their URL. All methods raise KopsError or OSError, which are worth another try."""

    def read(self, url: str) -> bytes | None:
        """A file of the state store; None if there is none."""

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """A file of the state store, which must be there, and the tag of its content; None if it still has this tag."""

    def write(self, url: str, content: bytes) -> None:
        """Write a file of the state store; only what the instance's role may write."""

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a local file to the state store, whole or not at all. sha256: of the file."""

    def download(self, url: str, path: str) -> None:
        """Write a file of the state store, which must be there, to a local one that only its owner reads."""

    def names(self, url: str) -> list[str]:
        """The paths of all files below a directory of the state store."""

    def remove(self, url: str) -> None:
        """Remove a file of the state store, if it is there; only what the instance's role may remove."""
