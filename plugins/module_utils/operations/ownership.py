# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of objects in a cloud, and of the directory of a target: checked before anything is changed there.

Clusters of two state stores can have one name, and so the same tags. Places in stores: statestore/ownership.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ..api.clouds import cloud_of, region_of
from ..api.cluster import Cluster
from ..base.errors import KopsError
from ..base.options import named
from ..cloud.origin import Origin, another_origin, certificates_in, origin_of
from ..cloud.provider import Provider, explaining
from ..cloud.reads import Reads
from ..cloud.user_data import boot_of
from ..statestore.keyset import KUBERNETES_CA
from ..statestore.store import ClusterStore
from .clouds import open_cloud
from .status.validation import CloudExpectation, CloudValidator


class ForeignObjects(KopsError):
    """The objects of this name in the cloud are of a cluster of another store. what: without what may be done."""

    def __init__(self, what: str, owner: str) -> None:
        self.what = what
        super().__init__(
            f"{what}. Nothing was changed. Use its own state store, or another name. To take that cluster over, run"
            f" update_cluster with {named('adopt', owner)}; its nodes are cut off then until they are replaced"
        )


def taken_over_objects(store: ClusterStore, cluster: Cluster, provider: Provider[Reads], cloud: Reads) -> list[str]:
    """Warnings about objects that are taken over from a cluster of another store.

    Raises ForeignObjects if there are, and the user has not named that cluster.
    """
    with explaining(provider):
        origins = provider.looking.origins(cloud)
    found = _another(store, cluster, origins)
    if found is None:
        return []
    place = f"in {cloud_of(cluster).title} ({region_of(cluster)})"
    owner = found.store or _base_of(store, cluster)
    if store.ownership.takes(owner):
        return [
            f"the cluster {store.name} {place} is taken over from {owner}: from now on its nodes have the keys, the"
            f" certificate authority and the files of {_base_of(store, cluster)}; those that run are cut off until they"
            " are replaced"
        ]
    what = (
        f"{place} there is a cluster {store.name} already, and it is not the one of this state store:"
        f" {_difference(owner, _base_of(store, cluster))}"
    )
    raise ForeignObjects(what, owner)


def refuse_foreign_objects(store: ClusterStore, cluster: Cluster) -> None:
    """Raise ForeignObjects if the objects of that name in the cloud are of a cluster of another store."""
    provider, cloud = open_cloud(cluster)
    taken_over_objects(store, cluster, provider, cloud)


def remade_keys(
    store: ClusterStore,
    cluster: Cluster,
    provider: Provider[Reads],
    cloud: Reads,
    made: Collection[str],
    known: Callable[[str], Collection[str]],
) -> list[str]:
    """Warnings about keysets whose key pairs in the store differ from the ones of running instances.

    made: names of the keysets that a plan creates. known: the ids of all key pairs of a keyset in the store. Raises
    KopsError for those that are lost, or replaced by others, since instances with the former ones would not trust them,
    unless the user has named the cluster's own directory.
    """
    with explaining(provider):
        boots = [boot_of(text) or {} for text in provider.looking.user_data_of_templates(cloud)]
    theirs = [(name, {*map(str, ids)}) for boot in boots for name, ids in (boot.get("keysets") or {}).items() if ids]
    lost = sorted({name for name, ids in theirs if name in made or ids.isdisjoint(known(name))})
    if not lost:
        return []
    base = _base_of(store, cluster)
    what = (
        f"the key pairs of {', '.join(lost)}, which instances of {store.name} have, are not in the state store any more"
    )
    if store.ownership.takes(base):
        others = "so others are made" if made else "but others are"
        return [f"{what}, {others}: instances do not trust each other until all are replaced"]
    raise KopsError(
        f"{what}. Nothing was changed. Bring back pki/private/NAME/keyset.yaml, from an older version of the file or a"
        f" copy of the store. To go on with other key pairs, set {named('adopt', base)}; instances do not trust each"
        " other then until all are replaced, and neither do members of etcd"
    )


def open_own(expected: CloudExpectation) -> CloudValidator:
    """The validator of a cluster whose instances are to be replaced. Raises KopsError if they are another cluster's."""
    validator = CloudValidator.open(expected)
    store = ClusterStore.open(expected.state_store, expected.name)
    taken_over_objects(store, store.read_cluster(), validator.provider, validator.cloud)
    return validator


@dataclass(frozen=True)
class Held:
    """What a directory has that another program carries out.

    what: it is called. file: its name. cluster: whose it says it is; "" if it does not say. user_data: in it.
    """

    what: str
    file: str
    cluster: str
    user_data: Sequence[str]


def taken_over_directory(store: ClusterStore, cluster: Cluster, directory: str, held: Held) -> list[str]:
    """Warnings about what a directory has, if that is taken over from another cluster."""
    name = held.cluster
    found = _another(store, cluster, [origin_of(text) for text in held.user_data]) if name == store.name else None
    if name == store.name and found is None:
        return []
    owner = ((found.store if found else "") or name) or directory
    if store.ownership.takes(owner):
        return [f"the {held.what} in {directory} is taken over from {owner}: its files are replaced or removed"]
    what = (
        f"the {held.what} of cluster {name}"
        if name and name != store.name
        else f"the {held.what} of a cluster {name} of another state store ({owner})"
        if name
        else f"a {held.file} that no cluster has written"
    )
    raise KopsError(
        f"the directory {directory} has {what}, whose files would be replaced or removed. Nothing was"
        f" written. Set out to another directory; to replace what is there, set {named('adopt', owner)}"
    )


def _another(store: ClusterStore, cluster: Cluster, origins: Sequence[Origin]) -> Origin | None:
    """The origin that objects name, if it is a cluster of another store."""
    if not any(each.store or each.names_authority for each in origins):
        return None
    keyset = store.keysets.find(KUBERNETES_CA)
    items = keyset.items if keyset else {}
    certificates = certificates_in("\n".join(item.certificate or "" for item in items.values()))
    return another_origin(origins, _base_of(store, cluster), certificates, items)


def _base_of(store: ClusterStore, cluster: Cluster) -> str:
    return (cluster.spec.config_store.base or store.path.path).rstrip("/")


def _difference(owner: str, base: str) -> str:
    if owner != base:
        return f"its nodes are of {owner}, not of {base}"
    return (
        f"its nodes trust another certificate authority than the one in {base}, whose keys were made anew or are lost"
    )
