# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an addon is declared: everything that is known of it, in one constant of its own file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ..iam.policy import Policy
from .conditions import Condition, never, uses_service_account_roles
from .context import AddonContext

Build = Callable[[AddonContext], Sequence[dict[str, Any]]]
Upstream = Callable[[AddonContext], Sequence[str]]
Adapt = Callable[[AddonContext, dict[str, Any]], dict[str, Any]]
Permissions = Callable[[AddonContext, Policy], None]
# The last argument is the role of the instances: ControlPlane, APIServer or Node.
InstancePermissions = Callable[[AddonContext, Policy, str], None]


def as_it_is(context: AddonContext, obj: dict[str, Any]) -> dict[str, Any]:
    """Leaves a user's object alone."""
    return obj


def no_objects(context: AddonContext) -> Sequence[dict[str, Any]]:
    """Builds an addon that only has an entry in the index."""
    return ()


def no_files(context: AddonContext) -> Sequence[str]:
    """An addon whose objects are all made here."""
    return ()


@dataclass(frozen=True)
class ServiceAccountRole:
    """The IAM role in AWS of a service account, so that an addon's pods may call the cloud.

    name, namespace: of the service account. permissions: adds to a policy what its pods may do.
    condition: when there is such a role, in clusters that have the addon.
    on_control_plane: when instances of the control plane get the permissions instead, in a cluster whose service
        accounts have no roles. kops gives some of them to clusters that do not have the addon, so this is asked of all.
    """

    name: str
    permissions: Permissions
    namespace: str = "kube-system"
    condition: Condition = uses_service_account_roles
    on_control_plane: Condition = never


@dataclass(frozen=True)
class AddonDefinition:
    """An addon of kops' catalogue.

    name, id, selector, needs_rolling_update: as in kops' index of addons. selector: None is kops' label k8s-addon.
        needs_rolling_update: "", control-plane, workers or all.
    condition: which clusters have it.
    build: makes its objects, in the order in which they are applied, without what all addons get (addon.py).
    upstream: URLs of the files of its upstream's release with the definitions of its kinds: too large to be made here.
    file: of its manifest below the addon's directory; "" is that of the id.
    pruned: objects that are removed from the addon are deleted from the cluster by what applies the index.
        pruned_kinds: API version and name of kinds of which this is true beside those that are pruned in all addons.
    needs_pki: when its own authority and Issuer have to be in the cluster: cert-manager issues certificates from it.
    replaceable: a user's own object that carries the addon's name takes its place.
    adapt: what becomes of each of the user's own objects then.
    service_accounts: with IAM roles in AWS.
    instance_permissions: adds to the policy of instances in AWS what the addon needs on them, whatever its pods have.
    images: of pods that its programs start, beside those of its objects.
    stays: its objects are not deleted from a cluster that does not have it any more.
    initializes_nodes: no node gets ready before it runs (cloud controller managers); networks are known by their names.

    An addon that has two forms under one name (kops' dns-controller) is two definitions, of which a cluster has one.
    """

    name: str
    condition: Condition
    build: Build
    upstream: Upstream = no_files
    id: str = ""
    file: str = ""
    selector: Optional[Mapping[str, str]] = None
    needs_rolling_update: str = ""
    pruned: bool = False
    pruned_kinds: tuple[tuple[str, str], ...] = ()
    needs_pki: Condition = never
    replaceable: bool = False
    adapt: Adapt = as_it_is
    service_accounts: tuple[ServiceAccountRole, ...] = ()
    instance_permissions: Optional[InstancePermissions] = None
    images: tuple[str, ...] = ()
    stays: bool = False
    initializes_nodes: bool = False
