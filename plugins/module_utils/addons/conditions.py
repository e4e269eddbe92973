# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that several addons share: questions to the specification that are answered yes or no."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..api.cloud import Cloud
from ..api.clouds import METAL
from ..api.well_known_addons import named_addons
from .context import AddonContext

Condition = Callable[[AddonContext], bool]


def always(context: AddonContext) -> bool:
    """Every cluster."""
    return True


def never(context: AddonContext) -> bool:
    """No cluster."""
    return False


def uses_service_account_roles(context: AddonContext) -> bool:
    """Pods get IAM roles of their own."""
    return context.uses_service_account_roles


def is_enabled(part: Any) -> bool:
    """Whether a part of a specification is there and has enabled: true."""
    return part is not None and bool(part.enabled)


def on_cloud(cloud: Cloud) -> Condition:
    """By the cluster's cloud."""
    return lambda context: context.cloud is cloud


def names_channel(context: AddonContext, name: str) -> bool:
    """Whether spec.addons names an addon: a name of WELL_KNOWN."""
    return name in named_addons(context.cluster)


def on_bare_metal_if_named(name: str) -> Condition:
    """Bare metal, where spec.addons names the addon: a name of WELL_KNOWN."""
    return lambda context: context.cloud is METAL and names_channel(context, name)


def enabled(field: str) -> Condition:
    """By enabled in a part of spec."""
    return lambda context: is_enabled(getattr(context.cluster.spec, field))


@dataclass(frozen=True)
class ChosenNetwork:
    """By the choice of the network in spec.networking.

    field: its attribute. unless: kops' feature flag with which something else installs the network.
    """

    field: str
    unless: str = ""

    def __call__(self, context: AddonContext) -> bool:
        """Whether the cluster has this network."""
        return getattr(context.cluster.spec.networking, self.field) is not None and self.unless not in context.features


network = ChosenNetwork


def authentication(field: str) -> Condition:
    """By the choice in spec.authentication."""
    return lambda context: getattr(context.cluster.spec.authentication, field, None) is not None


def storage_classes_on(cloud: Cloud) -> Condition:
    """Where kops manages the storage classes of a cloud."""

    def manages(context: AddonContext) -> bool:
        config = context.cluster.spec.cloud_config
        return context.cloud is cloud and bool(config and config.manage_storage_classes)

    return manages


def manages_storage_classes(context: AddonContext) -> bool:
    """Whether drivers of volumes bring their storage classes: unless the specification says otherwise."""
    config = context.cluster.spec.cloud_config
    return config is None or config.manage_storage_classes is not False
