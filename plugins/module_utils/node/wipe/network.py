# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pod networks left in the kernel: interfaces, routes and routing rules."""

from __future__ import annotations

import os
import re
from functools import partial

from ...base.errors import KopsError
from ...base.report import Step
from ..context import Phase
from .scope import Scope

# Of flannel, kube-proxy with IPVS, node-local DNS, kubenet, kube-router, Calico, Cilium, kindnet.
_INTERFACES = re.compile(
    r"cni0|flannel\.1|flannel-v6\.1|flannel-wg(-v6)?|kube-ipvs0|nodelocaldns|cbr0|kube-bridge|kube-dummy-if"
    r"|vxlan(-v6)?\.calico|wireguard\.cali|wg-v6\.cali|cali[0-9a-f]{11}|cilium_(host|net|vxlan|geneve|wg0)|lxc[0-9a-f]{12}"
    r"|lxc_health|knet([0-9a-f]{8}|-xfrm0)"
)
_CLASS = "/sys/class/net"
# Routes of kube-router (17) and Calico (80) are marked by their protocol, those that Calico learns by BGP only lead
# through its tunnel; rules refer to the tables of kube-router and Cilium. Cilium also moves the kernel's first rule, to
# have room before it.
_LOCAL_RULE, _MOVED_LOCAL_RULE = r"^0:\s+from all lookup local\b", r"^100:\s+from all lookup local\b"
_ROUTE = re.compile(r"\bproto (17|80|kube-router)\b|\bdev tunl0\b")
_RULE = re.compile(r"\blookup (77|78|79|kube-router|kube-router-dsr|external_ip|2004|2005)\b|" + _MOVED_LOCAL_RULE)
_NOWHERE = ("blackhole", "prohibit", "throw", "unreachable")
_FAMILIES = ("-4", "-6")


def plan(scope: Scope) -> Phase:
    """Plan the removal of interfaces, routes and rules."""
    steps = [Step(f"interface:{name}", True, "present", None) for name in _interfaces(scope)]
    steps += [Step(text.partition(" ")[2], True, "present", None) for text in _routes(scope)]
    return Phase(steps, partial(_remove, scope))


def find_interfaces(scope: Scope) -> list[str]:
    """Interfaces that a wipe could remove, and the pods' interfaces that are attached to them (bridges)."""
    if not scope.kubelet:
        return []
    try:
        present = sorted(os.listdir(scope.path(_CLASS)))
    except OSError:
        return []
    known = [name for name in present if _INTERFACES.fullmatch(name)]
    return known + [name for name in present if name not in known and _master(scope, name) in known]


def find_routes(scope: Scope) -> list[str]:
    """Routes and rules that a wipe could remove: "-4 route:...", "-6 rule:...", with the output of ip."""
    found = []
    for family in _FAMILIES if scope.kubelet else ():
        for kind, pattern in (("route", _ROUTE), ("rule", _RULE)):
            lines = scope.host.run("ip", family, kind, "show").output.splitlines()
            found += [f"{family} {kind}:{' '.join(line.split())}" for line in lines if pattern.search(line)]
    return found


def _interfaces(scope: Scope) -> list[str]:
    return scope.ours("interfaces", find_interfaces(scope))


def _routes(scope: Scope) -> list[str]:
    return scope.ours("routes", find_routes(scope))


def _master(scope: Scope, name: str) -> str:
    """The bridge of an interface, "" if it has none."""
    try:
        return os.path.basename(os.readlink(scope.path(f"{_CLASS}/{name}/master")))
    except OSError:
        return ""


def _remove(scope: Scope) -> None:
    for text in _routes(scope):
        family, _space, rest = text.partition(" ")
        kind, _colon, words = rest.partition(":")
        # In "32765: from ..." the number is the preference; ip wants it after that keyword.
        said = words.split()
        if kind == "rule" and re.match(_MOVED_LOCAL_RULE, words):
            _restore_local_rule(scope, family)
        which = ["preference", said[0].rstrip(":"), *said[1:]] if kind == "rule" else said[: _length_of_route(said)]
        scope.host.run("ip", family, kind, "delete", *which)
    for name in reversed(_interfaces(scope)):
        # Removing one end of a veth pair removes the other; the last interface of a namespace may remove further ones.
        outcome = scope.host.run("ip", "link", "delete", "dev", name)
        if outcome.code != 0 and name in _interfaces(scope):
            raise KopsError(f"interface {name} cannot be removed: {outcome.last_output()}")
    left = _routes(scope)
    if left:
        raise KopsError(f"routes or routing rules cannot be removed: {'; '.join(left)}")


def _restore_local_rule(scope: Scope, family: str) -> None:
    """Without any such rule, the machine would not know its own addresses."""
    if not re.search(_LOCAL_RULE, scope.host.run("ip", family, "rule", "show").output, re.MULTILINE):
        scope.host.check_output("ip", family, "rule", "add", "preference", "0", "lookup", "local")


def _length_of_route(words: list[str]) -> int:
    """How many of the words identify the route: its kind if it leads nowhere, its destination, via and dev."""
    length = 2 if words[0] in _NOWHERE else 1
    while length + 1 < len(words) and words[length] in ("via", "dev"):
        length += 2
    return length
