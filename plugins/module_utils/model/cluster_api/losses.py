# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects of Cluster API do not say of a specification: what is not the same when they are read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .rows import leaves

CONTROL_PLANE_ROLE = "Master"
Manifest = Mapping[str, Any]
_MISSING = object()
# Of instance groups: what is in the bootstrap data, from which machines become nodes.
_IN_BOOTSTRAP_DATA = (
    "additionalUserData",
    "compressUserData",
    "containerd",
    "fileAssets",
    "hooks",
    "kubelet",
    "nodeLabels",
    "packages",
    "sysctlParameters",
    "taints",
    "volumeMounts",
)
BOOTSTRAP_DATA, CONTROL_PLANE, NOTHING = "bootstrap data", "state store", ""
# Of manifests: what a state store writes by itself.
_OF_STORE = ("metadata.creationTimestamp", "metadata.generation", "apiVersion", "kind")


@dataclass(frozen=True)
class Loss:
    """A field of a manifest that the objects do not say, or not as it is written there.

    object: kind and name. field: its path; "" for the whole object. said: what the objects say instead; None for
    nothing. kept_by: what brings it about nevertheless: the bootstrap data, or the state store, whose cluster has the
    control plane; "" if nothing does.
    """

    object: str
    field: str
    said: Any = None
    kept_by: str = NOTHING

    def text(self) -> str:
        """For a reader."""
        if not self.field:
            return f"{self.object}: no object"
        return f"{self.object}: {self.field}: {'not said' if self.said is None else f'said as {self.said}'}"

    def as_dict(self) -> dict[str, Any]:
        """As data."""
        return asdict(self)


def paired(groups: Sequence[Manifest], read_groups: Sequence[Manifest]) -> list[tuple[Manifest, Manifest | None]]:
    """Each instance group with the one that was read for it: that of its name, and of control planes that in turn."""
    found = {each["metadata"]["name"]: each for each in read_groups}
    turns = iter(each for each in read_groups if each["spec"]["role"] == CONTROL_PLANE_ROLE)
    return [
        (
            each,
            next(turns, None)
            if each["spec"].get("role") == CONTROL_PLANE_ROLE
            else found.get(each["metadata"]["name"]),
        )
        for each in groups
    ]


def texts_of(losses: Sequence[Loss]) -> list[str]:
    """Lines about losses: each that nothing makes good, and how many others there are."""
    lost = [each.text() for each in losses if each.kept_by == NOTHING]
    kept = {each.kept_by: sum(other.kept_by == each.kept_by for other in losses) for each in losses if each.kept_by}
    return [
        *([f"The objects do not say {len(lost)} fields by themselves:"] if lost else []),
        *(f"  {line}" for line in lost),
        *(f"{count} fields are in the {where} only." for where, count in sorted(kept.items())),
    ]


def losses_of(
    cluster: Manifest,
    groups: Sequence[Manifest],
    read_cluster: Manifest,
    read_groups: Sequence[Manifest],
    *,
    external: bool,
) -> list[Loss]:
    """What of manifests is not the same in those that were read from their objects."""
    kept = CONTROL_PLANE if external else NOTHING
    losses = list(_differences(f"Cluster {cluster['metadata']['name']}", cluster, read_cluster, lambda _field: kept))
    for group, read in paired(groups, read_groups):
        name = f"InstanceGroup {group['metadata']['name']}"
        if read is None:
            losses.append(Loss(name, "", kept_by=kept))
        else:
            losses += _differences(name, group, read, _kept_by_data if external else lambda _field: NOTHING)
    return losses


def _kept_by_data(field: str) -> str:
    return BOOTSTRAP_DATA if field.startswith(tuple(f"spec.{each}" for each in _IN_BOOTSTRAP_DATA)) else NOTHING


def _differences(name: str, wanted: Any, read: Any, kept_by: Any) -> Iterable[Loss]:
    there = dict(leaves(read))
    for path, value in leaves(wanted):
        said = there.get(path, _MISSING)
        if said != value and not path.startswith(_OF_STORE):
            yield Loss(name, path, None if said is _MISSING else said, kept_by(path))
