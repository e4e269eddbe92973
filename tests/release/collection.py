# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What galaxy.yml says. It is the one place of the version; all others are compared with it."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import yaml

# Semantic versioning, without build metadata, which Galaxy does not order.
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?")


def metadata(root: pathlib.Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((root / "galaxy.yml").read_text())
    return found


def version(root: pathlib.Path) -> str:
    return str(metadata(root)["version"])


def numbers(version: str) -> tuple[int, int, int]:
    """The three numbers of a version, to compare it by; ValueError if it is none."""
    found = VERSION.fullmatch(version)
    if not found:
        raise ValueError(f"{version} is no semantic version")
    return int(found[1]), int(found[2]), int(found[3])


def released(root: pathlib.Path) -> list[str]:
    """The versions that the changelog tells of."""
    changelog: dict[str, Any] = yaml.safe_load((root / "changelogs" / "changelog.yaml").read_text())
    return sorted(changelog["releases"], key=numbers)
