# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the control plane's programs as kubeadm takes them: arguments of their command lines."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Mapping
from typing import Any

from ...api.components import KubeSchedulerConfig
from ...api.fields import camel_case, fields_of, rules_of
from ...api.flag_table import FLAGS, REPEATED
from ...api.v1alpha2.kube_apiserver import KubeAPIServerConfig
from ...api.v1alpha2.kube_controller_manager import KubeControllerManagerConfig
from .rows import Convert, Row

_CONFIGURATION = "spec.kubeadmConfigSpec.clusterConfiguration"


def _table(kind: type) -> dict[str, tuple[str, Convert]]:
    """The arguments of a program: name -> key in the manifest, and how a text becomes its value."""
    flags, types = FLAGS[kind.__name__], typing.get_type_hints(kind)
    return {
        flags[each.name]: (rules_of(each).key or camel_case(each.name), _reader(types[each.name]))
        for each in fields_of(kind)
        # kubeadm gives an argument once.
        if each.name in flags and each.name not in REPEATED
    }


def _reader(declared: Any) -> Convert:
    given = [each for each in typing.get_args(declared) if each is not type(None)] or [declared]
    origin = typing.get_origin(given[0]) or given[0]
    if typing.get_origin(declared) in (list, dict):
        origin = typing.get_origin(declared)
    readers: dict[Any, Convert] = {bool: _truth, int: int, list: lambda text: text.split(","), dict: _pairs}
    return readers.get(origin, str)


def _truth(text: str) -> bool:
    return text == "true"


def _pairs(text: str) -> dict[str, str]:
    return {key: value for key, _equals, value in (each.partition("=") for each in text.split(",")) if key}


def text_of(value: Any) -> str:
    """A value of a manifest as that of an argument."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ",".join(f"{key}={value[key]}" for key in sorted(value))
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def arguments(kind: type, settings: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that a component's section of a manifest is. What is no argument is left out."""
    given = {name: settings[key] for name, (key, _read) in _cached(kind).items() if key in settings}
    return {name: text_of(value) for name, value in given.items() if value not in ("", [], {})}


def settings_of(kind: type, given: Mapping[str, str]) -> dict[str, Any]:
    """The section of a manifest that arguments are. Those that no field has are left out."""
    table = _cached(kind)
    return {table[name][0]: table[name][1](str(text)) for name, text in given.items() if name in table}


_cached = functools.cache(_table)


def _row(section: str, program: str, kind: type) -> Row:
    to: Callable[[Any], Any] = functools.partial(arguments, kind)
    return Row(f"spec.{section}", f"{_CONFIGURATION}.{program}.extraArgs", to, functools.partial(settings_of, kind))


COMPONENTS = (
    _row("kubeAPIServer", "apiServer", KubeAPIServerConfig),
    _row("kubeControllerManager", "controllerManager", KubeControllerManagerConfig),
    _row("kubeScheduler", "scheduler", KubeSchedulerConfig),
)

# Settings of the kubelet that its command line still takes; all others are in its file, which kubeadm writes.
_KUBELET = {
    "cpuManagerPolicy": ("cpu-manager-policy", str),
    "evictionHard": ("eviction-hard", str),
    "kubeReserved": ("kube-reserved", _pairs),
    "maxPods": ("max-pods", int),
    "podPidsLimit": ("pod-max-pids", int),
    "systemReserved": ("system-reserved", _pairs),
}


def kubelet_arguments(settings: Mapping[str, Any]) -> dict[str, str]:
    """The arguments of spec.kubelet."""
    return {name: text_of(settings[key]) for key, (name, _read) in _KUBELET.items() if settings.get(key) is not None}


def kubelet_settings(given: Mapping[str, str]) -> dict[str, Any]:
    """spec.kubelet of its arguments."""
    readers: Mapping[str, tuple[str, Any]] = _KUBELET
    return {key: read(str(given[name])) for key, (name, read) in readers.items() if name in given}


def labels_of(given: Mapping[str, str]) -> dict[str, str]:
    """The labels of nodes among the arguments of a kubelet."""
    return _pairs(given["node-labels"]) if given.get("node-labels") else {}
