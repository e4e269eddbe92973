# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the controllers of the control planes work, in clusters of clouds; kops does not look at its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from ...exchange.addons import StoredAddons
from .. import controllers
from ..addons.versions import NAMESPACE, not_applied
from ..client import KubernetesClient

# A leader renews every few seconds, and another one takes over within half a minute.
_SILENCE = 90.0


def failing_controllers(client: KubernetesClient) -> Iterator[tuple[str, str]]:
    """Name and message of each controller that fails, or of all of them if no control plane runs them."""
    lease = client.find(f"{controllers.LEASES}/{controllers.NAME}")
    if lease is None:
        # On bare metal; or of a cluster so new that its nodes are what fails.
        return
    spec = lease.get("spec") or {}
    renewed = _moment(str(spec.get("renewTime") or ""))
    if renewed is None or (datetime.now(timezone.utc) - renewed).total_seconds() > _SILENCE:
        last = f"; the last one was {spec.get('holderIdentity') or 'stopped'}, at {spec.get('renewTime')}"
        yield controllers.NAME, f"run on no control plane{last}"
    for name, reason in sorted(controllers.problems(client).items()):
        yield name, f"fails: {reason}"


def unapplied_addons(client: KubernetesClient, wanted: StoredAddons) -> Iterator[tuple[str, str]]:
    """Name and message of each addon that is not what the state store says: the control planes do not have it yet."""
    namespace = client.find(f"/api/v1/namespaces/{NAMESPACE}") or {"metadata": {}}
    for name in not_applied(wanted, namespace["metadata"].get("annotations") or {}):
        yield name, "is not applied yet as the state store has it"


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text.partition(".")[0].rstrip("Z"), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
