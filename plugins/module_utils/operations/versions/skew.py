# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubelets and kube-proxies of workers are never newer than an API server, also while an upgrade is pending.

Rules on data; hosts (metal/version_skew.py) and clouds (workers_version.py) say which versions run.
Sources: the version skew policy of Kubernetes; ControlPlaneRunningVersion in cmd/kops/update_cluster.go of kops, which
gives nodes without an API server the version of the oldest control plane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...api.instance_group import InstanceGroup
from ...api.versions import OLDER_KUBELETS, Version
from ...base.errors import FieldError, KopsError

_PATH = "spec.kubernetesVersion"


@dataclass(frozen=True)
class VersionSkew:
    """An upgrade that is pending. running: the version of the oldest API server; "" if none is older than wanted.

    outdated: names of the nodes whose API servers are older.
    """

    wanted: str
    running: str = ""
    outdated: tuple[str, ...] = ()

    def holds(self, group: InstanceGroup) -> bool:
        """Whether nodes of a group have to wait for newer API servers."""
        return bool(self.running) and group.spec.role == "Node"


def skew_of(wanted: str, running: Mapping[str, str]) -> VersionSkew:
    """running: node -> version of its API server. Versions that cannot be read count as up to date."""
    known = {name: parsed(version) for name, version in running.items()}
    older = {name: version for name, version in known.items() if version and version < Version.parse(wanted)}
    return VersionSkew(wanted, str(min(older.values())) if older else "", tuple(older))


def skew_problems(wanted: str, servers: Mapping[str, str], kubelets: Mapping[str, str]) -> Iterator[FieldError]:
    """Why a cluster must not get a version: it skips a minor version, or an API server would refuse kubelets that run.

    servers: node -> version of its API server. kubelets: node without one -> version of its kubelet.
    """
    target = Version.parse(wanted)
    oldest = _oldest(servers)
    if oldest and (target.major, target.minor) > (oldest[1].major, oldest[1].minor + 1):
        yield _problem(
            wanted,
            f"skips versions: the API server of {oldest[0]} runs {oldest[1]}, and the next step from there is"
            f" {oldest[1].major}.{oldest[1].minor + 1}; upgrade to each minor version in turn",
        )
    found = {name: version for name, version in ((name, parsed(text)) for name, text in kubelets.items()) if version}
    newer = [name for name, each in found.items() if (each.major, each.minor) > (target.major, target.minor)]
    if newer:
        yield _problem(
            wanted,
            f"kubelets would be newer than the API servers: {_named(newer, found)}; Kubernetes cannot be downgraded",
        )
    older = [name for name, each in found.items() if each.minor + OLDER_KUBELETS < target.minor]
    if older:
        yield _problem(
            wanted,
            f"the kubelets of these nodes are too old for its API server, which takes {OLDER_KUBELETS} minor versions:"
            f" {_named(older, found)}; replace these nodes first (kubeops.kops.rolling_update)",
        )


def parsed(text: str) -> Version | None:
    """A version; None for what is none."""
    try:
        return Version.parse(text)
    except KopsError:
        return None


def _oldest(servers: Mapping[str, str]) -> tuple[str, Version] | None:
    known = [(version, name) for name, version in ((name, parsed(text)) for name, text in servers.items()) if version]
    if not known:
        return None
    version, name = min(known)
    return name, version


def _problem(wanted: str, message: str) -> FieldError:
    return FieldError("Invalid", _PATH, message, wanted)


def _named(names: list[str], versions: Mapping[str, Version]) -> str:
    return ", ".join(f"{name} ({versions[name]})" for name in sorted(names))
