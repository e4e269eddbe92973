# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a new cluster that are much the same everywhere: version, store, who may do what, and labels."""

from __future__ import annotations

from ....api.cluster import AlwaysAllowAuthorizationSpec, AuthorizationSpec, IAMSpec, RBACAuthorizationSpec
from ....api.kubelet import KubeletConfigSpec
from ....statestore.vfs.open import spelled_as_kops
from ..draft import Draft


def add_basics(draft: Draft) -> None:
    """Write name, version, place in the store, authorization, who may reach the API and the nodes, and labels."""
    options, settings, spec = draft.options, draft.settings, draft.cluster.spec
    draft.cluster.metadata.name = options.name
    spec.channel = options.channel
    spec.kubernetes_version = (
        options.kubernetes_version
        or (draft.settled.cluster.spec.kubernetes_version if draft.settled else None)
        or settings.channel.default_kubernetes_version(settings.kops_version)
    )
    spec.config_store.base = spelled_as_kops(options.config_base or below(options.state_store, options.name))
    spec.authorization = (
        AuthorizationSpec(always_allow=AlwaysAllowAuthorizationSpec())
        if options.authorization == "AlwaysAllow"
        else AuthorizationSpec(rbac=RBACAuthorizationSpec())
    )
    spec.iam = IAMSpec(allow_container_registry=True)
    spec.kubelet = KubeletConfigSpec(anonymous_auth=False)
    spec.api.access = list(options.admin_access)
    spec.ssh_access = list(options.ssh_access)
    spec.cloud_labels = dict(options.cloud_labels)


def below(store: str, name: str) -> str:
    """The address of a cluster's directory in a store."""
    return f"{store.rstrip('/')}/{name}"
