# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of the images and files of a cluster, asked of their publishers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..progress import silent
from .jobs import Job, run_jobs
from .publishers import Publishers, ReadingOptions


def with_sizes(assets: Mapping[str, Any], options: ReadingOptions) -> dict[str, Any]:
    """The list of assets with the size of each; null where no publisher says it, with one warning for all."""
    publishers = Publishers.of(options, assets["architectures"])
    jobs = [
        *(Job(row["canonical"], lambda row=row: _image(publishers, row)) for row in assets["images"]),  # type: ignore[misc]
        *(Job(row["canonical"], lambda row=row: _file(publishers, row)) for row in assets["files"]),  # type: ignore[misc]
    ]
    done = run_jobs(jobs, silent, lambda row: "")
    sizes = {row["canonical"]: row["size"] for row in done.rows}
    warnings = [f"size not known: {problem}" for problem in done.problems]
    return {
        **assets,
        "images": [{**row, "size": sizes.get(row["canonical"])} for row in assets["images"]],
        "files": [{**row, "size": sizes.get(row["canonical"], row["size"])} for row in assets["files"]],
        "warnings": [*assets["warnings"], *warnings],
    }


def _image(publishers: Publishers, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "size": publishers.image(publishers.reference(row["canonical"])).size}


def _file(publishers: Publishers, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "size": row["size"] or publishers.file_size(row["canonical"])}
