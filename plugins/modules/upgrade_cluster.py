#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: newer versions for a stored cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: upgrade_cluster
short_description: Write newer versions into the specification of a cluster
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Writes the version of Kubernetes that the cluster's channel recommends, or the one that is asked for, into the state
    store, and the channel's images for it where instance groups do not have images of their own.
  - M(kubeops.kops.update_cluster) and a rolling update then roll it out to the nodes.
  - A version is refused that is older than the present one, or that skips a minor version.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.lease
  - kubeops.kops.progress
  - kubeops.kops.attributes
options:
  kubernetes_version:
    description:
      - The version of Kubernetes, at most one minor version on. The channel's recommendation if it is not given.
    type: str
  ignore_kubelet_version_skew:
    description: Do not refuse a version because of what nodes run.
    type: bool
    default: false
    version_added: 0.1.0
  api_server:
    description:
      - Another address of the API server of a cluster in a cloud, as C(https://host:port). It is asked for the versions
        that run, and for deprecated APIs that clients request.
    type: str
    version_added: 0.1.0
  running:
    description:
      - On bare metal, what M(kubeops.kops.versions_info) has returned on hosts of the control plane, an entry for each.
        In a cloud, the module asks by itself.
    type: list
    elements: dict
    default: []
    version_added: 0.1.0
  channel:
    description: The channel to change to. The cluster's own if it is not given.
    type: str
notes:
  - Before anything is written, the versions that run are shown, and those that are planned. A warning names each API
    that clients request and that the new version does not serve any more.
  - As long as a node does not have the version of the specification, the channel's recommendation is not newer.
seealso:
  - module: kubeops.kops.update_cluster
  - module: kubeops.kops.versions_info
"""

EXAMPLES = r"""
- name: See what the channel recommends
  kubeops.kops.upgrade_cluster:
    name: demo.example.com
    state_store: s3://my-store
  check_mode: true

- name: Upgrade to a version
  kubeops.kops.upgrade_cluster:
    name: demo.example.com
    state_store: s3://my-store
    kubernetes_version: 1.34.4
"""

RETURN = r"""
upgrades:
  description: The fields that got other values, or would in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: The object.
      type: str
      returned: always
      sample: InstanceGroup/nodes
    property:
      description: C(Channel), C(KubernetesVersion) or C(Image).
      type: str
      returned: always
    old:
      description: Its value before.
      type: str
      returned: always
    new:
      description: Its value now.
      type: str
      returned: always
versions:
  description: The versions that run, and those that are planned, as lines.
  returned: success
  type: list
  elements: str
manifest:
  description: All that the store would say of the cluster, for M(kubeops.kops.update_cluster) to plan with.
  returned: in check mode
  type: str
# From plugins/doc_fragments/store_changes.py, by script/module-docs:
plan:
  description:
    - What changed in the store, or would in check mode, in the form of RV(kubeops.kops.update_cluster#module:plan).
    - The fields of an object are called by their paths in its manifest, for example C(spec.maxSize).
  returned: success
  type: list
  elements: dict
plan_text:
  description: The same for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
summary:
  description: How many objects are created, updated and deleted.
  returned: success
  type: dict
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    LEASE,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import store_options, store_outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.running_versions import RunningVersions
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.versions.running import Found, before_upgrade
from ansible_collections.kubeops.kops.plugins.module_utils.operations.versions.upgrade import (
    UpgradeOptions,
    upgrade_cluster,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **LEASE,
    **PROGRESS,
    "ignore_kubelet_version_skew": {"type": "bool", "default": False},
    "api_server": {"type": "str"},
    "running": {"type": "list", "elements": "dict", "default": []},
    "kubernetes_version": {"type": "str"},
    "channel": {"type": "str"},
}


def before(module: Call) -> Found:
    """What runs now: as hosts have told, or as the API of a cluster in a cloud tells."""
    told = module.parameters["running"]
    if not told:
        return before_upgrade(module.state_store, module.cluster_name, module.text("api_server"))
    servers, kubelets, deprecated = (
        {name: str(version) for each in told for name, version in (each.get(key) or {}).items()}
        for key in ("api_servers", "kubelets", "deprecated")
    )
    return Found(RunningVersions(servers, kubelets), deprecated=deprecated)


def run(module: Call) -> Outcome:
    """Write the versions."""
    found = before(module)
    options = UpgradeOptions(
        module.cluster_name,
        module.text("kubernetes_version"),
        module.text("channel"),
        found.running,
        found.given,
        found.deprecated,
        module.parameters["ignore_kubelet_version_skew"],
    )
    with progress_to(module.parameters["progress_file"]) as progress:
        result = upgrade_cluster(store_options(module, progress), options, check=module.check)
    upgrades = [vars(each) for each in result.upgrades]
    # The playbook goes on with what comes next.
    return store_outcome(module, result.stored, ended={}, upgrades=upgrades, versions=result.versions)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
