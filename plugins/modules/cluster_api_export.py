#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a cluster as objects of Cluster API."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_api_export
short_description: Write a cluster as objects of Cluster API
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads a cluster from its state store, completes it, and writes it to a file as objects of Cluster API, as
    C(kubectl apply -f) takes them into a management cluster. Groups of workers become MachineDeployments.
  - Clusters on AWS, Google Cloud, OpenStack and vSphere can be written.
  - Nothing is changed in the state store, in the cloud or in a management cluster.
  - Each object carries in an annotation what of the specification it cannot say, so that nothing is lost on the way
    back. RV(losses) is what the objects do not say by themselves.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.cluster.api_server
  - kubeops.kops.attributes
requirements:
  - boto3
options:
  path:
    description: The file to write. Its directory is made if it is not there.
    type: path
    required: true
  control_plane:
    description:
      - V(external) describes the cluster that is there. Its control plane and its network stay those of the state
        store; machines that Cluster API makes become nodes of it by the cluster's own bootstrap data. The cluster must
        have been updated.
      - V(kubeadm) describes a new cluster of the same shape, whose control plane Cluster API makes with kubeadm. Its
        images must contain kubeadm.
    type: str
    choices: [external, kubeadm]
    default: external
  version:
    description: The version of Cluster API's own kinds. Those of a cloud are in the version that its provider has.
    type: str
    choices: [v1beta1, v1beta2]
    default: v1beta2
  namespace:
    description: The namespace of the objects.
    type: str
    default: default
  paused:
    description: Whether C(spec.paused) of the Cluster keeps all controllers from acting until the user changes it.
    type: bool
    default: true
seealso:
  - module: kubeops.kops.cluster_info
  - module: kubeops.kops.update_cluster
"""

EXAMPLES = r"""
- name: Describe the cluster to Cluster API
  kubeops.kops.cluster_api_export:
    state_store: s3://example-state
    name: demo.example.com
    path: cluster-api.yaml
  register: kops_exported

- name: Describe a new cluster of the same shape
  kubeops.kops.cluster_api_export:
    state_store: s3://example-state
    name: demo.example.com
    path: cluster-api.yaml
    control_plane: kubeadm
"""

RETURN = r"""
path:
  description: The file.
  returned: success
  type: str
objects:
  description: Kind and name of each object.
  returned: success
  type: list
  elements: str
  sample: [Cluster demo-example-com]
losses:
  description:
    - The fields of the manifests that the objects do not say by themselves, or not as they are written there. What an
      object carries in its annotation has no effect in Cluster API.
  returned: success
  type: list
  elements: dict
  contains:
    object:
      description: Kind and name of the manifest.
      type: str
      returned: always
      sample: InstanceGroup nodes
    field:
      description: The path of the field; empty if there is no object for the whole manifest.
      type: str
      returned: always
      sample: spec.suspendProcesses
    said:
      description: What the objects say instead; null for nothing.
      type: raw
      returned: always
    kept_by:
      description:
        - What brings the field about nevertheless - V(bootstrap data), by which machines become nodes, or
          V(state store), which has the control plane. Empty if nothing does.
      type: str
      returned: always
losses_text:
  description: The same for a reader.
  returned: success
  type: list
  elements: str
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import CLUSTER, STATE_STORE, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.export import (
    CONTROL_PLANES,
    EXTERNAL,
    Options,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.losses import texts_of
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.versions import VERSIONS
from ansible_collections.kubeops.kops.plugins.module_utils.operations.cluster_api.export import (
    ExportOptions,
    export_cluster,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    "path": {"type": "path", "required": True},
    "control_plane": {"type": "str", "choices": [*CONTROL_PLANES], "default": EXTERNAL},
    "version": {"type": "str", "choices": [*VERSIONS], "default": VERSIONS[-1]},
    "namespace": {"type": "str", "default": "default"},
    "paused": {"type": "bool", "default": True},
    "api_server": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Write the file."""
    objects = Options(
        control_plane=module.text("control_plane"),
        version=module.text("version"),
        namespace=module.text("namespace"),
        paused=bool(module.parameters["paused"]),
    )
    options = ExportOptions(
        state_store=module.state_store,
        name=module.cluster_name,
        path=module.text("path"),
        objects=objects,
        api_server=module.text("api_server"),
    )
    result = export_cluster(options, check=module.check)
    return Outcome(
        changed=result.changed,
        values={
            "path": result.path,
            "objects": result.objects,
            "losses": [each.as_dict() for each in result.losses],
            "losses_text": texts_of(result.losses),
        },
        differences=[Difference(result.path, result.before, result.after)] if result.changed else [],
        warnings=result.warnings,
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
