# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a dump in a page, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...dump.archive import INDEX, SUMMARY, by_directory

_MEBIBYTE = 1 << 20


def summary(index: Mapping[str, Any]) -> str:
    """Summary of an archive for people: its files, what is missing and why, and counts of removed secrets."""
    files, searched = index["files"], index["searched"]
    lines = [
        f"Dump of cluster {index['cluster']}, {index['time']}, Kubernetes {index['kubernetes_version']}",
        f"{len(files)} files, {sum(files.values()) / _MEBIBYTE:.1f} MiB; {INDEX} lists them, {SUMMARY} is this text",
        "",
        "Nodes, how they were asked, and what they gave:",
        *(
            f"  {node['name']} ({node['way']}): {node['files']} files" + (f"; {node['why']}" if node["why"] else "")
            for node in index["nodes"]
        ),
        "",
        "Directories:",
        *(f"  {name}: {count} files, {size} bytes" for name, (count, size) in by_directory(files, 1).items()),
        "",
        "Not collected:" if index["missing"] else "Everything that was asked for was collected.",
        *(f"  {each['what']}: {each['why']}" for each in index["missing"]),
        "",
        f"Searched for {searched['secrets']} secrets of the state store, and for what looks like one. Removed:",
        *([f"  {count} x {what}" for what, count in index["removed"].items()] or ["  nothing"]),
        *(f"  too short to be searched for: {name}" for name in searched["too_short"]),
    ]
    return "\n".join(lines) + "\n"
