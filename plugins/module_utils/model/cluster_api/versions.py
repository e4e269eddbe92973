# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of Cluster API's own kinds. Inside, objects are as in v1beta2, but with arguments as a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from ...base.errors import KopsError
from .rows import get, put

CORE = "cluster.x-k8s.io"
CONTROL_PLANE = f"controlplane.{CORE}"
BOOTSTRAP = f"bootstrap.{CORE}"
VERSIONS = ("v1beta1", "v1beta2")

# Kind -> the group that it is in.
GROUPS = {
    "Cluster": CORE,
    "MachineDeployment": CORE,
    "KubeadmControlPlane": CONTROL_PLANE,
    "KubeadmConfigTemplate": BOOTSTRAP,
}
_MACHINE = "spec.template.spec"
_KUBEADM = "spec.kubeadmConfigSpec"
# Kind -> paths of references to other objects.
_REFERENCES: Mapping[str, Sequence[str]] = {
    "Cluster": ("spec.infrastructureRef", "spec.controlPlaneRef"),
    "MachineDeployment": (f"{_MACHINE}.infrastructureRef", f"{_MACHINE}.bootstrap.configRef"),
    "KubeadmControlPlane": ("spec.machineTemplate.spec.infrastructureRef",),
}
# Kind -> paths of arguments of programs.
_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "KubeadmControlPlane": (
        *(
            f"{_KUBEADM}.clusterConfiguration.{each}.extraArgs"
            for each in ("apiServer", "controllerManager", "scheduler")
        ),
        *(
            f"{_KUBEADM}.{each}.nodeRegistration.kubeletExtraArgs"
            for each in ("initConfiguration", "joinConfiguration")
        ),
    ),
    "KubeadmConfigTemplate": (f"{_MACHINE}.joinConfiguration.nodeRegistration.kubeletExtraArgs",),
}
# Kind -> paths in v1beta2, and those in v1beta1.
_MOVED: Mapping[str, Mapping[str, str]] = {
    "MachineDeployment": {"spec.rollout.strategy": "spec.strategy"},
    "KubeadmControlPlane": {
        "spec.machineTemplate.spec.infrastructureRef": "spec.machineTemplate.infrastructureRef",
    },
}


def spelled(found: Mapping[str, Any], version: str) -> dict[str, Any]:
    """An object of the inside as a version has it. Kinds of other groups stay as they are."""
    result = deepcopy(dict(found))
    kind = str(result["kind"])
    if kind not in GROUPS:
        return result
    result["apiVersion"] = f"{GROUPS[kind]}/{version}"
    if version == "v1beta1":
        return _moved(result, _MOVED.get(kind, {}))
    _change(result, _REFERENCES.get(kind, ()), _without_version)
    arguments = _ARGUMENTS.get(kind, ())
    _change(result, arguments, lambda given: [{"name": name, "value": given[name]} for name in sorted(given)])
    return result


def inside(found: Mapping[str, Any]) -> dict[str, Any]:
    """An object of a version as it is inside. Raises KopsError for a version that is not known."""
    result = deepcopy(dict(found))
    kind, version = str(result.get("kind")), str(result.get("apiVersion")).rpartition("/")[2]
    if kind not in GROUPS:
        return result
    if version not in VERSIONS:
        raise KopsError(f"{kind}: {result.get('apiVersion')} is not read; versions are {', '.join(VERSIONS)}")
    if version == "v1beta1":
        result = _moved(result, {there: here for here, there in _MOVED.get(kind, {}).items()})
    _change(
        result,
        _ARGUMENTS.get(kind, ()),
        lambda given: {each["name"]: each["value"] for each in given} if isinstance(given, list) else given,
    )
    return result


def _without_version(reference: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in reference.items() if key in ("kind", "name")}
    return {"apiGroup": str(reference.get("apiVersion", "")).partition("/")[0], **rest}


def _change(found: dict[str, Any], paths: Sequence[str], change: Any) -> None:
    for path in paths:
        value = get(found, path)
        if value is not None:
            above, _dot, last = path.rpartition(".")
            get(found, above)[last] = change(value)


def _moved(found: dict[str, Any], moves: Mapping[str, str]) -> dict[str, Any]:
    for before, after in moves.items():
        value = get(found, before)
        if value is not None:
            _take(found, before)
            put(found, after, value)
    return found


def _take(found: dict[str, Any], path: str) -> None:
    """Remove what is at a path, and what is empty then above it."""
    above, _dot, last = path.rpartition(".")
    place = get(found, above)
    del place[last]
    if not place and above:
        _take(found, above)
