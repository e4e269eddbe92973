# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes objects again without a change, so that the API server encrypts them with the key that encrypts now.

An API server writes an object that does not change only if it was stored with another key than it would use now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ...base.errors import KopsError
from ..client import KubernetesClient, KubernetesError, Object
from ..nodes.drain import silent

_AT_ONCE = 4


def write_again(client: KubernetesClient, resources: Sequence[str], tell: Callable[[str], None] = silent) -> int:
    """Write all objects of these resources again, named as in an EncryptionConfiguration: secrets, jobs.batch.

    All API servers must use the new key before. Returns how many objects there are; in a client in check mode nothing
    is written. Raises KopsError for a resource that the API server does not know, and what it answers.
    """
    paths = []
    for resource in resources:
        plural, _dot, group = resource.partition(".")
        kind = client.resource(group, plural)
        if kind is None:
            raise KopsError(f"the API server does not know the resource {resource} of the encryption configuration")
        paths += [kind.path(*_place(each)) for each in client.list(kind.path())]
    tell(f"{len(paths)} objects are written again: {', '.join(resources)}")

    def write(path: str) -> None:
        try:
            client.patch(path, {})
        except KubernetesError as error:
            # It was deleted meanwhile.
            if error.status != 404:
                raise

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _written in pool.map(write, paths):
            pass
    return len(paths)


def _place(found: Object) -> tuple[str, str]:
    metadata = found["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
