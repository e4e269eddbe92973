# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which networks of pods a cluster can have today, by the catalogue of addons."""

from __future__ import annotations

from ..api.cloud import Cloud
from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..api.validation.network_providers import CLOUD_OF_PROVIDER, PROVIDERS
from .catalogue import ADDONS
from .conditions import ChosenNetwork

# The user installs a network of their own.
OWN = "cni"


def available_networks(cloud: Cloud) -> list[str]:
    """The fields of spec.networking that give a cluster in a cloud a network of pods: what is provided, and cni."""
    provided = {_attribute(addon.condition) for addon in ADDONS}
    elsewhere = {attribute for attribute, (_key, only) in CLOUD_OF_PROVIDER.items() if only is not cloud}
    return [key for attribute, key in PROVIDERS.items() if attribute in provided - elsewhere or key == OWN]


def unavailable_network(cluster: Cluster) -> str:
    """The chosen field of spec.networking, if it gives pods no network, else ""."""
    possible = available_networks(cloud_of(cluster))
    chosen = [key for attribute, key in PROVIDERS.items() if getattr(cluster.spec.networking, attribute) is not None]
    return next((key for key in chosen if key not in possible), "")


def _attribute(condition: object) -> str:
    """The network that a condition asks for, "" for a condition that is about something else."""
    return condition.field if isinstance(condition, ChosenNetwork) else ""
