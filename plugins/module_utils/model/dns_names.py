# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of a cluster's own servers in DNS, and what they lead to (upup/pkg/fi/cloudup/dns.go of kops)."""

from __future__ import annotations

from .context import ModelContext


def served(context: ModelContext) -> list[str]:
    """The names that lead to the load balancer of the API."""
    spec = context.cluster.spec.api
    if spec.load_balancer is None:
        return []
    return [str(spec.public_name), *([_internal(context)] if spec.load_balancer.use_for_internal_api else [])]


def to_servers(context: ModelContext) -> dict[str, list[str]]:
    """The names that lead to the control planes themselves, with the types of their records."""
    spec, inside = context.cluster.spec.api, ["AAAA"] if context.is_ipv6_only else ["A"]
    by_name = {
        **({str(spec.public_name): sorted({"A", *inside})} if spec.public_name and not spec.load_balancer else {}),
        _internal(context): inside,
        joining_name(context): inside,
    }
    return {name: types for name, types in by_name.items() if name not in served(context)}


def joining_name(context: ModelContext) -> str:
    """The name by which nodes find the bootstrap servers."""
    return f"kops-controller.internal.{context.name}"


def _internal(context: ModelContext) -> str:
    return f"api.internal.{context.name}"
