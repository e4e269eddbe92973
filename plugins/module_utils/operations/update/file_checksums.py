# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checksums of files that nodes download: from the tables here, from publishers, or from a file repository.

As in kops, what is known here counts: a repository cannot pass off something else as a published release.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from ...api.cluster import AssetsSpec, Cluster
from ...base.errors import KopsError
from ...completion.assets import remap_file
from ...model.node.files.assets import FileAsset
from ..download import DownloadError, download

ENDINGS = (".sha256", ".sha256sum")
_SHA256 = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
LONGEST = 16384
_WORKERS = 8


def with_checksums(cluster: Cluster, files: Sequence[FileAsset]) -> list[FileAsset]:
    """The files that a cluster's nodes download, with the checksums of all.

    A checksum that is not known is asked for: where spec.assets.fileRepository is set, in a file beside the one there
    that ends in .sha256 or .sha256sum; else where its publisher says it. Several are asked for at the same time.
    Raises KopsError where one is not to be had.
    """
    unknown = list(dict.fromkeys(file for file in files if not file.sha256))
    if not unknown:
        return list(files)
    with ThreadPoolExecutor(_WORKERS) as pool:
        asked = dict(zip(unknown, pool.map(lambda file: _published(file, cluster.spec.assets), unknown)))
    return [replace(file, sha256=asked.get(file, file.sha256)) for file in files]


def _published(file: FileAsset, assets: AssetsSpec | None) -> str:
    repository = bool(assets and assets.file_repository)
    url = remap_file(file.url, assets)
    places = [url + ending for ending in ENDINGS] if repository else [file.checksum_url]
    problems = []
    for place in places:
        name = posixpath.basename(place)
        try:
            # The manifest names the repository, as it does everything else that nodes run.
            found = listed(download(place, LONGEST).decode(errors="replace"), posixpath.basename(url))
        except DownloadError as error:
            problems.append(f"{name}: {error}")
        else:
            if found:
                return found
            problems.append(f"{name}: has no SHA-256 of it")
    where = "the file repository" if repository else "its publisher"
    raise KopsError(f"{url}: its checksum is not known, and {where} does not say it ({'; '.join(problems)})")


def listed(text: str, name: str) -> str:
    """The checksum of a file in the text of a checksum file, which is of this file alone or names each file."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        lines = [words for words in lines if posixpath.basename(words[-1].lstrip("*")) == name]
    return lines[0][0].lower() if lines and _SHA256.fullmatch(lines[0][0]) else ""
