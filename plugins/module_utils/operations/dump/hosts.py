# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of hosts: the archive that node_dump made on a host goes into the archive of the cluster."""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import KopsError
from ...dump.archive import INDEX, Archive
from ...dump.host import directory_of

# A host is not believed to send less than this.
_MOST_FILES = 20_000
_LARGEST_FILE = 256 << 20
# These are the cluster's, or name the node themselves.
_OF_THE_CLUSTER = ("cluster/", "nodes/")


@dataclass
class HostArchive:
    """path: of the archive that module node_dump has made on a host. asked: nodes that the host asked by the API."""

    path: str
    name: str
    files: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)

    def copy(self, archive: Archive) -> HostArchive:
        """Copy all of its files without secrets. Raises KopsError, tarfile.TarError, EOFError, OSError."""
        directory = directory_of(self.name)
        with tarfile.open(self.path, mode="r|gz") as sent:
            for member in sent:
                content = sent.extractfile(member) if member.isfile() else None
                if content is None:
                    continue
                if member.name == INDEX:
                    self._index(json.loads(content.read(_LARGEST_FILE)), archive)
                    continue
                self.files += 1
                parts = member.name.split("/")
                if member.name.startswith("/") or ".." in parts or self.files > _MOST_FILES:
                    raise KopsError(f"it has a file {member.name!r}, or more than {_MOST_FILES}")
                if member.size > _LARGEST_FILE:
                    archive.miss(f"{directory}/{member.name}", f"it is too large ({member.size} bytes)")
                    continue
                of_the_cluster = member.name.startswith(_OF_THE_CLUSTER)
                archive.add(member.name if of_the_cluster else f"{directory}/{member.name}", content)
        return self

    def _index(self, index: dict[str, Any], archive: Archive) -> None:
        directory = directory_of(self.name)
        for each in index.get("missing") or ():
            what = str(each["what"])
            archive.miss(what if what.startswith(("cluster", "nodes/")) else f"{directory}/{what}", each["why"])
        for reason, count in (index.get("removed") or {}).items():
            archive.hidden(str(reason), int(count))
        self.asked = [dict(node) for node in index.get("nodes") or ()]
