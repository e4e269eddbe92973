# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters whose control planes could not read their state store: refused before anything is stored or applied."""

from __future__ import annotations

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.validation.problems import invalid
from ...base.errors import FieldError
from ...model.node.program.stores import places_of
from ...statestore.objects import with_base
from ...statestore.vfs.open import MEMORY


def problems_of_stores(cluster: Cluster, directory: str, *, field: str = "") -> list[FieldError]:
    """The places that instances read and write, and that are in no kind of store that these read.

    directory: of the cluster in its state store. field: which gave the places; "" for the specification's own.
    """
    cloud = cloud_of(cluster)
    # A store in memory is for tests, all of whose steps are one process; a module refuses it.
    if not cloud.starts_nodes or directory.startswith(f"{MEMORY}://"):
        return []
    wanted = tuple(f"{scheme}://" for scheme in (cloud.store_scheme, *cloud.more_store_schemes) if scheme)
    message = f"instances of {cloud.title} cannot read this; keep the cluster's state in {' or '.join(wanted)}"
    unread = {path: url for path, url in places_of(with_base(cluster, directory)) if not url.startswith(wanted)}
    if field and unread:
        return [invalid(field, next(iter(unread.values())), message)]
    return [invalid(path, url, message) for path, url in unread.items()]
