# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warm pools: instances that wait, stopped, for their autoscaling group to need them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any

from ...api.cluster import Cluster
from ...api.common import WarmPoolSpec
from ...api.instance_group import InstanceGroup
from ...completion.assets import remap_image
from .. import addons, node_configs
from ..context import ModelContext
from . import names, workers
from .spec import aws_spec

HOOK = "kops-warmpool"

METRICS = (
    "WarmPoolMinSize",
    "WarmPoolDesiredCapacity",
    "WarmPoolPendingCapacity",
    "WarmPoolTerminatingCapacity",
    "WarmPoolWarmedCapacity",
    "WarmPoolTotalCapacity",
    "GroupAndWarmPoolDesiredCapacity",
    "GroupAndWarmPoolTotalCapacity",
)
DEFAULT_HOOK_TIMEOUT = 600
# Those of the cluster's images that nodes wait for. Source: buildWarmPoolImages of kops (nodeupconfigbuilder.go).
_AWAITED = (
    "registry.k8s.io/kube-proxy:",
    "registry.k8s.io/provider-aws/",
    "registry.k8s.io/sig-storage/csi-node-driver-registrar:",
    "registry.k8s.io/sig-storage/livenessprobe:",
    "quay.io/calico/",
    "quay.io/cilium/",
    "quay.io/coreos/flannel:",
    "quay.io/weaveworks/",
)


def build_node_configs(context: ModelContext) -> None:
    """The NodeConfigs of all groups: those of groups with a warm pool say what to do in it."""
    of_addons = functools.lru_cache(maxsize=1)(lambda: addons.images(context))

    def part(group: InstanceGroup) -> dict[str, Any]:
        pool = of_group(context, group)
        if group.spec.role not in ("Node", "APIServer") or group.spec.manager == "Karpenter" or not is_enabled(pool):
            return {}
        assets = context.cluster.spec.assets
        own = group.spec.warm_pool.additional_images if group.spec.warm_pool else []
        return {
            "images": sorted(
                {*_awaited(context.seen_by(group)[0], of_addons()), *(remap_image(image, assets) for image in own)}
            ),
            "group": names.autoscaling_group(group, context.name),
            "hook": HOOK if pool.enable_lifecycle_hook else "",
        }

    node_configs.build(context, part, workers.proved_by(context))


def _awaited(cluster: Cluster, of_addons: Iterable[str]) -> list[str]:
    """The images of a cluster that nodes wait for, wherever spec.assets has them."""
    spec = cluster.spec
    prefixes = tuple(remap_image(prefix, spec.assets) for prefix in _AWAITED)
    proxy = spec.kube_proxy.image if spec.kube_proxy and spec.kube_proxy.enabled is not False else None
    return [image for image in (*of_addons, proxy or "") if image.startswith(prefixes)]


def of_group(context: ModelContext, group: InstanceGroup) -> WarmPoolSpec:
    """A group's warm pool with what the cluster says for all; one of at most 0 instances is none.

    Source: WarmPoolSpec.ResolveDefaults of kops.
    """
    own, general = group.spec.warm_pool, aws_spec(context).warm_pool
    if general is None or group.spec.role in ("ControlPlane", "Bastion"):
        return own or WarmPoolSpec(max_size=0)
    if own is None:
        return general
    return dataclasses.replace(
        own,
        max_size=general.max_size if own.max_size is None else own.max_size,
        min_size=own.min_size or general.min_size,
        enable_lifecycle_hook=own.enable_lifecycle_hook or general.enable_lifecycle_hook,
    )


def is_enabled(pool: WarmPoolSpec) -> bool:
    """Whether the pool may hold instances."""
    return pool.max_size != 0


def has_hook(context: ModelContext, group: InstanceGroup) -> bool:
    """Whether an instance of the group says itself when it is ready for the pool."""
    pool = of_group(context, group)
    return is_enabled(pool) and bool(pool.enable_lifecycle_hook)


def role_has_hook(context: ModelContext, role: str) -> bool:
    """Whether some group of the role has the hook: they share one IAM role."""
    return any(has_hook(context, group) for group in context.groups_of(role))


def hook_timeout(context: ModelContext, group: InstanceGroup) -> int:
    """Seconds that an instance has to become ready; the group's word goes before the cluster's."""
    for pool in (group.spec.warm_pool, aws_spec(context).warm_pool):
        if pool is not None and pool.lifecycle_hook_timeout is not None:
            return pool.lifecycle_hook_timeout
    return DEFAULT_HOOK_TIMEOUT
