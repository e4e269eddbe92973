#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the images and files that a cluster's nodes download."""

from __future__ import annotations

DOCUMENTATION = r"""
module: assets_info
short_description: List the container images and files that a cluster needs
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads a cluster from its state store, completes it, and lists what its nodes download. Each image and file comes
    with the place where it is published and the place where the cluster gets it, which differ where C(spec.assets)
    names a registry, a proxy or a file repository of the user.
  - The list is what such a registry and repository have to hold, before the cluster is updated.
  - The images of the addons that this collection installs, such as flannel and CoreDNS, of the channels of
    C(spec.addons) and of the user's additional objects are in the list. Channels that no update has used yet are
    fetched.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.registries
  - kubeops.kops.registries.reading
  - kubeops.kops.attributes.info
requirements:
  - boto3
options:
  sizes:
    description: Ask the publishers how large each image and file is. Without it, few sizes are known.
    type: bool
    default: false
seealso:
  - module: kubeops.kops.update_cluster
  - module: kubeops.kops.assets_copy
"""

EXAMPLES = r"""
- name: List what the cluster needs
  kubeops.kops.assets_info:
    state_store: s3://example-state
    name: demo.example.com
  register: kops_assets

- name: List it with sizes
  kubeops.kops.assets_info:
    state_store: s3://example-state
    name: demo.example.com
    sizes: true
    image_architectures: cluster
"""

RETURN = r"""
name:
  description: The name of the cluster.
  returned: success
  type: str
kubernetes_version:
  description: The version of Kubernetes that the lists are for.
  returned: success
  type: str
  sample: 1.34.1
architectures:
  description: The architectures that the files are for.
  returned: success
  type: list
  elements: str
  sample: [amd64]
images:
  description: The container images, by name.
  returned: success
  type: list
  elements: dict
  contains:
    canonical:
      description: The image under the name that its publisher gave it.
      type: str
      returned: always
      sample: registry.k8s.io/kube-apiserver:v1.34.1
    download:
      description: The image as the cluster's nodes ask for it.
      type: str
      returned: always
      sample: registry.example.com/kops/kube-apiserver:v1.34.1
    size:
      description: Bytes of the image as registries keep it; null where it is not known.
      type: int
      returned: always
files:
  description: The files, by architecture; those of no architecture last.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description:
        - What it is. V(crds) are definitions of kinds, V(channel) are channels of C(spec.addons) and their manifests;
          the controller fetches both.
      type: str
      returned: always
      sample: kubelet
    architecture:
      description: The architecture that it is for; empty for V(crds) and V(channel).
      type: str
      returned: always
      sample: amd64
    canonical:
      description: Where its publisher has it.
      type: str
      returned: always
      sample: https://dl.k8s.io/release/v1.34.1/bin/linux/amd64/kubelet
    download:
      description: Where the cluster gets it.
      type: str
      returned: always
      sample: https://files.example.com/release/v1.34.1/bin/linux/amd64/kubelet
    sha256:
      description:
        - Its checksum, which nodes insist on. Null where the collection does not know it.
        - That of V(crds) is known once an update has used the file.
      type: str
      returned: always
    sha256_url:
      description:
        - Where its publisher says the checksum, in a file of its own or in a list.
        - Null for a package that the specification gives with its checksum, and for V(crds) and V(channel).
      type: str
      returned: always
    size:
      description: Bytes of the file; null where it is not known.
      type: int
      returned: always
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.mirror import (
    ARCHITECTURES,
    READING,
    REGISTRIES,
    reading_options,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import CLUSTER, STATE_STORE, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.assets import read_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.sizes import with_sizes

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **ARCHITECTURES,
    **REGISTRIES,
    **READING,
    "sizes": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Read the store, and list."""
    assets = read_assets(module.state_store, module.cluster_name, module.parameters["architectures"])
    return Outcome(values=with_sizes(assets, reading_options(module)) if module.parameters["sizes"] else assets)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
