# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets that the distribution's own rules would drop (firewall.go of nodeup); and those that pods may not send."""

from __future__ import annotations

from ....api.clouds import METAL
from ..context import NodeContext
from ..draft import Draft, on
from ..systemd import unit_text

_SCRIPT_PATH = "/opt/kops/bin/iptables-setup"
# Run at every boot. A chain whose policy is to drop gets rules that accept, unless it has them.
_SCRIPT = """#!/bin/bash
for chain in INPUT FORWARD; do
  iptables -w -S "${chain}" | grep -qx -- "-P ${chain} DROP" || continue
  for protocol in tcp udp icmp; do
    rule=("${chain}" -p "${protocol}" -j ACCEPT)
    iptables -w -C "${rule[@]}" 2> /dev/null || iptables -w -A "${rule[@]}"
  done
done
"""
# What arrives at the host is of pods: what it sends itself does not pass here. It comes before all rules of networks of
# pods, which accept what is theirs.
_CLOSED = """rule=(PREROUTING -d {address} -j DROP)
iptables -w -t raw -C "${{rule[@]}}" 2> /dev/null || iptables -w -t raw -I "${{rule[@]}}"
"""


def build(context: NodeContext, draft: Draft) -> None:
    """A unit that opens the chains of iptables, and closes what pods may not ask."""
    closed = "".join(_CLOSED.format(address=each) for each in context.cloud.closed_to_pods)
    draft.file(_SCRIPT_PATH, _SCRIPT + closed, "0755")
    unit = boot_script_unit("Configure iptables for kubernetes", _SCRIPT_PATH)
    draft.unit("kubernetes-iptables-setup.service", unit)
    if context.cloud is not METAL:
        # Networks of pods and its rules exclude each other. On bare metal, the firewall is the user's own.
        for when in (on(trait="nftables"), on(family="suse")):
            draft.unit("firewalld.service", enabled=False, state="stopped", when=when)


def boot_script_unit(description: str, path: str) -> str:
    """A unit that runs a script once, before the network is up."""
    return unit_text(
        {
            "Unit": [("Description", description), ("Before", "network.target")],
            "Service": [("Type", "oneshot"), ("RemainAfterExit", "yes"), ("ExecStart", path)],
            "Install": [("WantedBy", "basic.target")],
        }
    )
