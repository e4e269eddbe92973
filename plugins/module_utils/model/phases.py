# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Phases: which layers of a cluster an update may write (upup/pkg/fi/cloudup/apply_cluster.go of kops)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..base.errors import KopsError
from ..engine.task import Lifecycle

PHASES = ("network", "security", "cluster")


@dataclass(frozen=True)
class Layers:
    """The lifecycle of each layer: the network; security groups, keys and IAM; everything else."""

    network: Lifecycle = Lifecycle.SYNC
    security: Lifecycle = Lifecycle.SYNC
    cluster: Lifecycle = Lifecycle.SYNC


def layers(phase: str = "", *, dry_run: bool = False) -> Layers:
    """The layers of a phase; "" is everything. Raises KopsError for an unknown phase.

    dry_run: what earlier phases should have made is only warned about, so that a plan of the whole can be shown.
    """
    if not phase:
        return Layers()
    if phase == "network":
        return Layers(security=Lifecycle.IGNORE, cluster=Lifecycle.IGNORE)
    if phase == "security":
        return Layers(network=Lifecycle.EXISTS_AND_WARN_IF_CHANGES, cluster=Lifecycle.IGNORE)
    if phase == "cluster":
        below = Lifecycle.EXISTS_AND_WARN_IF_CHANGES if dry_run else Lifecycle.EXISTS_AND_VALIDATES
        return Layers(network=below, security=below)
    raise KopsError(f"unknown phase {phase!r}; allowed are {', '.join(PHASES)}, or none for everything")


def lifecycle_overrides(texts: Iterable[str]) -> dict[str, Lifecycle]:
    """Overrides by kind of task from texts such as "SecurityGroup=Ignore"; raises KopsError for anything else."""
    overrides = {}
    for text in texts:
        kind, _equals, value = text.partition("=")
        if not kind or value not in {lifecycle.value for lifecycle in Lifecycle}:
            allowed = ", ".join(lifecycle.value for lifecycle in Lifecycle)
            raise KopsError(f"lifecycle override {text!r}: write Kind=Lifecycle, where Lifecycle is one of {allowed}")
        overrides[kind] = Lifecycle(value)
    return overrides
