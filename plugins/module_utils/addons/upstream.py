# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the files that upstream projects publish, for AddonDefinition.upstream."""

from __future__ import annotations

from collections.abc import Sequence


def files_in_repository(repository: str, tag: str, directory: str, names: Sequence[str]) -> list[str]:
    """Files below a directory of a repository on GitHub, as they are at a tag."""
    return [f"https://raw.githubusercontent.com/{repository}/{tag}/{directory}/{name}" for name in names]


def file_of_release(repository: str, tag: str, name: str) -> str:
    """A file that is attached to a release on GitHub."""
    return f"https://github.com/{repository}/releases/download/{tag}/{name}"
