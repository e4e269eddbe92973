# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory of vCenter: what is where, and what a specification means by a name or a path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ...base.errors import KopsError
from . import names
from .cloud import VSphereCloud
from .collecting import Described
from .kinds import COMPUTE, DATACENTER, DATASTORE, FOLDER, INVENTORY, NETWORKS, PLACES, POOL, WORDS

# Folders of a datacenter that a path of a specification leaves out, as its users do.
_ROOTS = ("vm", "host", "datastore", "network", "Resources")
_SHOWN = 12


class Unclear(KopsError):
    """A specification names what is not there, or several objects."""


class Inventory:
    """Everything but machines and hosts, as it was read last."""

    def __init__(self, found: Iterable[Described]) -> None:
        self._by_id = {str(each["id"]): each for each in found}

    def get(self, identifier: str) -> Described | None:
        """The object of an id; None if it was not there."""
        return self._by_id.get(identifier)

    def of(self, kinds: Collection[str], within: str = "") -> list[Described]:
        """Objects of kinds below an object; "" for all."""
        return [
            each
            for each in self._by_id.values()
            if each["type"] in kinds and (not within or within in self._above(each))
        ]

    def child(self, parent: str, kind: str, name: str) -> Described | None:
        """The object of a kind and name directly in another one; None if there is none."""
        return next((each for each in self.children(parent) if each["type"] == kind and named(each) == name), None)

    def children(self, parent: str) -> list[Described]:
        """What is directly in an object."""
        return [each for each in self._by_id.values() if each.get("parent") == parent]

    def _above(self, found: Described) -> list[str]:
        """The ids of what an object is in, the nearest first."""
        above = []
        parent = found.get("parent")
        while parent is not None:
            above.append(str(parent))
            parent = self._by_id.get(str(parent), {}).get("parent")
        return above

    def path(self, found: Described) -> str:
        """Where an object is, as "DC0/vm/k8s/demo": the root of all is left out."""
        above = [self._by_id[each] for each in self._above(found) if each in self._by_id]
        parts = [named(each) for each in [found, *above] if each.get("parent")]
        return "/".join(reversed(parts))

    def one(self, kinds: Collection[str], reference: str, within: str, field: str) -> Described:
        """The object that a specification means. reference: its name or the end of its path; "" for the only one.

        within: id of what it is in. field: of the specification. Raises KopsError for none, and for several.
        """
        known = self.of(kinds, within)
        found = [each for each in known if not reference or self._is_meant(each, reference)]
        if len(found) == 1:
            return found[0]
        word = WORDS[next(iter(kinds))]
        paths = sorted(self.path(each) for each in found or known)
        listed = ", ".join(paths[:_SHOWN]) + (" ..." if len(paths) > _SHOWN else "") or "none"
        if not reference:
            raise Unclear(f"{field}: name one {word}: there are {listed}")
        if found:
            raise Unclear(
                f"{field}: {len(found)} objects are called {word} {reference}; give the path of one: {listed}"
            )
        raise Unclear(f"{field}: there is no {word} {reference}, only {listed}")

    def _is_meant(self, found: Described, reference: str) -> bool:
        wanted, parts = _parts(reference), _parts(self.path(found))
        return parts[-len(wanted) :] == wanted


def _parts(path: str) -> list[str]:
    """The parts of a path that tell objects apart."""
    parts = [each for each in path.split("/") if each]
    return [each for index, each in enumerate(parts) if each not in _ROOTS or index == len(parts) - 1]


def named(found: Described) -> str:
    """The name of an object, as people know it."""
    return names.decoded(str(found.get("name", "")))


# -- reads ------------------------------------------------------------------------------------------------------------


def inventory(cloud: VSphereCloud) -> Inventory:
    """All of it, in one call and its further pages. To be asked by `once`."""
    root = cloud.content.rootFolder._moId
    return Inventory(cloud.below(FOLDER, root, INVENTORY, "read the inventory of vCenter"))


def machine_places(cloud: VSphereCloud) -> list[dict[str, Any]]:
    """All machines of the datacenter: their names, and where they are. To be asked by `once`."""
    folder = str(datacenter(cloud)["vmFolder"])
    return cloud.below(FOLDER, folder, PLACES, "read the virtual machines of the datacenter")


# -- what a specification names ---------------------------------------------------------------------------------------


def datacenter(cloud: VSphereCloud) -> Described:
    """The cluster's datacenter. Raises KopsError."""
    return cloud.once(inventory).one((DATACENTER,), cloud.datacenter, "", "spec.cloudProvider.vsphere.datacenter")


def _in_datacenter(cloud: VSphereCloud, kinds: Sequence[str], reference: str, field: str) -> Described:
    within = str(datacenter(cloud)["id"])
    return cloud.once(inventory).one(kinds, reference, within, f"spec.cloudProvider.vsphere.{field}")


def compute_cluster(cloud: VSphereCloud, reference: str) -> Described:
    """The compute cluster that a specification means; of "", the only one. Raises KopsError."""
    return _in_datacenter(cloud, (COMPUTE,), reference, "computeCluster")


def datastore(cloud: VSphereCloud, reference: str, field: str = "datastore") -> Described:
    """The datastore that a specification means; of "", the only one. Raises KopsError."""
    return _in_datacenter(cloud, (DATASTORE,), reference, field)


def network(cloud: VSphereCloud, reference: str) -> Described:
    """The network that a specification means; of "", the only one. Raises KopsError."""
    return _in_datacenter(cloud, NETWORKS, reference, "network")


def parent_pool(cloud: VSphereCloud, compute: str, reference: str) -> Described:
    """The resource pool in which the cluster's is made; of "", that of the compute cluster. Raises KopsError."""
    found = compute_cluster(cloud, compute)
    known = cloud.once(inventory)
    root = known.get(str(found["resourcePool"]))
    if reference or root is None:
        return known.one((POOL,), reference, str(found["id"]), "spec.cloudProvider.vsphere.resourcePool")
    return root


def parent_folder(cloud: VSphereCloud, reference: str) -> Described:
    """The folder in which the cluster's is made; of "", that of all machines of the datacenter. Raises KopsError."""
    root = str(datacenter(cloud)["vmFolder"])
    known = cloud.once(inventory)
    found = known.get(root)
    if reference or found is None:
        return known.one((FOLDER,), reference, root, "spec.cloudProvider.vsphere.folder")
    return found


def template(cloud: VSphereCloud, reference: str, field: str = "spec.image") -> Described:
    """The template that a specification means by its name or the end of its path. Raises KopsError."""
    known = cloud.once(inventory)
    wanted = _parts(reference)
    templates = [each for each in cloud.once(machine_places) if each.get("config.template")]
    paths = {str(each["id"]): known.path(each) for each in templates}
    found = [each for each in templates if _parts(paths[str(each["id"])])[-len(wanted) :] == wanted]
    if len(found) == 1 and wanted:
        return found[0]
    listed = ", ".join(sorted(paths[str(each["id"])] for each in found or templates)[:_SHOWN]) or "none"
    if len(found) > 1:
        raise Unclear(f"{field}: {len(found)} templates are called {reference}; give the path of one: {listed}")
    raise Unclear(f"{field}: there is no template {reference}, only {listed}: mark a virtual machine as template")
