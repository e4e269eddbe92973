# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firewall rules of kube-proxy, the kubelet, CNI plugins and networks: iptables, nftables, ipset.

If a program is not installed, there are no rules of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import partial

from ...base.errors import KopsError
from ...base.report import Step
from ..context import Phase
from ..system import atomic
from .scope import Scope

_CHAIN = re.compile(r"(KUBE|CNI|FLANNEL)-|IP-MASQ|cali-|(OLD_)?CILIUM_")
_JUMP = re.compile(r" (?:-j|-g) (\S+)")
# Rules in built-in chains that do not jump to another chain: of node-local DNS, and rules that open ports at boot.
_MARKED = re.compile(
    r'--comment "?(NodeLocal DNS Cache|kubenet:|cilium)|^-A (INPUT|FORWARD) -p (tcp|udp|icmp) -j ACCEPT$'
)
_TABLES = re.compile(
    r"^table (\S+) (kube-proxy|flannel-ipv4|flannel-ipv6|calico|cni-kindnet|kindnet-\S+|kube-router\S*)$", re.MULTILINE
)
_SETS = re.compile(r"(inet6:)?(KUBE-|kube-router|cali)")
_BACKENDS = (("-nft", "-legacy"), ("",))
_INPUT = "/run/kops/firewall"


def find(scope: Scope) -> list[str]:
    """All rules that a wipe could remove: program, table and line of iptables; "nft" and a table; "ipset" and a set."""
    if not scope.kubelet:
        return []
    found = [line for family in ("iptables", "ip6tables") for line in _look_at_iptables(scope, family)]
    found += [f"nft {' '.join(each)}" for each in _TABLES.findall(scope.host.run("nft", "list", "tables").output)]
    names = scope.host.run("ipset", "list", "-name").output.split()
    return found + [f"ipset {name}" for name in names if _SETS.match(name)]


def plan(scope: Scope) -> Phase:
    """Plan the removal of rules: one step for each table."""
    tables: dict[str, list[str]] = {}
    for line in _left(scope):
        program, _space, rest = line.partition(" ")
        table = f"{program} {rest.split(' ', 1)[0]}" if "tables" in program else line
        tables.setdefault(table, []).append(rest)
    steps = [Step(f"firewall:{table}", True, "\n".join(lines), None) for table, lines in tables.items()]
    return Phase(steps, partial(_remove, scope))


def _left(scope: Scope) -> list[str]:
    return scope.ours("firewall", find(scope))


def _look_at_iptables(scope: Scope, family: str) -> Iterable[str]:
    """Rules of both iptables backends (legacy, nft), if both are installed."""
    for backends in _BACKENDS:
        outcomes = {f"{family}{backend}": scope.host.run(f"{family}{backend}-save") for backend in backends}
        present = {program: outcome for program, outcome in outcomes.items() if outcome.code == 0}
        for program, outcome in present.items():
            yield from _of_saved(program, outcome.output)
        if present:
            return


def _of_saved(program: str, text: str) -> Iterable[str]:
    """Chains (":NAME"), and rules in other chains that jump to them or are marked."""
    table = ""
    for line in text.splitlines():
        if line.startswith("*"):
            table = line[1:]
        elif line.startswith(":") and _CHAIN.match(line[1:]):
            yield f"{program} {table} {line.split(' ')[0]}"
        elif line.startswith("-A ") and not _CHAIN.match(line[3:]):
            jump = _JUMP.search(line)
            if _MARKED.search(line) or (jump and _CHAIN.match(jump.group(1))):
                yield f"{program} {table} {line}"


def _remove(scope: Scope) -> None:
    lines = _left(scope)
    tables: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        if "tables" in line.split(" ", 1)[0]:
            program, table, rest = line.split(" ", 2)
            tables.setdefault(program, {}).setdefault(table, []).append(rest)
    for program, of_program in tables.items():
        _restore(scope, program, "".join(_edit(table, rest) for table, rest in of_program.items()))
    for line in lines:
        words = line.split(" ")
        if words[0] == "nft":
            scope.host.run("nft", "delete", "table", *words[1:])
        elif words[0] == "ipset":
            scope.host.run("ipset", "destroy", words[1])
    left = _left(scope)
    if left:
        raise KopsError("firewall rules cannot be removed:\n" + "\n".join(left))


def _edit(table: str, lines: list[str]) -> str:
    """Input of iptables-restore. All chains are emptied before they are removed, since they refer to each other."""
    chains = [line[1:] for line in lines if line.startswith(":")]
    empty = [f":{chain} - [0:0]" for chain in chains]
    rules = [f"-D {line[3:]}" for line in lines if line.startswith("-A ")]
    return "\n".join([f"*{table}", *empty, *rules, *(f"-X {chain}" for chain in chains), "COMMIT"]) + "\n"


def _restore(scope: Scope, program: str, text: str) -> None:
    path = scope.path(_INPUT)
    atomic.write(path, [text.encode()], mode=0o600, uid=os.getuid(), gid=os.getgid())
    try:
        scope.host.check_output(f"{program}-restore", "--wait", "30", "--noflush", path)
    finally:
        atomic.remove(path)
