# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checksums of files that nodes download: those known here, and those that a file repository says of its own builds.

As in kops, what is known here counts: a repository cannot pass off something else as a published release.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable

from ..api.cluster import Cluster
from ..base.errors import KopsError
from ..completion.assets import remap_file
from ..model.node.assets import FileAsset
from ..model.node.context import known_sha256

_ENDINGS = (".sha256", ".sha256sum")
_SHA256 = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
_TIMEOUT = 30
_LONGEST = 4096


def checksums_for(cluster: Cluster) -> Callable[[FileAsset], str]:
    """What NodeContext.sha256 shall be for a cluster: finds the SHA-256 of a file, as hexadecimal text.

    Where spec.assets.fileRepository is set, a file whose checksum is not known is asked for there, in a file beside it
    that ends in .sha256 or .sha256sum; each is read once. The function raises KopsError where there is none.
    """
    assets = cluster.spec.assets
    if assets is None or not assets.file_repository:
        return known_sha256
    published = lru_cache(maxsize=None)(_published)

    def sha256(asset: FileAsset) -> str:
        return asset.sha256 or published(remap_file(asset.url, assets))

    return sha256


def _published(url: str) -> str:
    from http.client import HTTPException
    from urllib.error import HTTPError

    from ansible.module_utils import urls

    problems = []
    for ending in _ENDINGS:
        try:
            # The manifest names the repository, as it does everything else that nodes run.
            with urls.open_url(url + ending, timeout=_TIMEOUT) as answer:
                words = answer.read(_LONGEST).decode(errors="replace").split()
        except HTTPError as error:
            with error:
                problems.append(f"{ending}: {error.code} {error.reason}")
        except (OSError, ValueError, HTTPException, urls.ConnectionError) as error:
            problems.append(f"{ending}: {getattr(error, 'reason', None) or error}")
        else:
            if words and _SHA256.fullmatch(words[0]):
                return words[0].lower()
            problems.append(f"{ending}: begins with no SHA-256")
    raise KopsError(
        f"{url}: its checksum is not known, and the file repository does not say it ({'; '.join(problems)})"
    )
