#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: an archive of images and files is loaded into a mirror."""

from __future__ import annotations

DOCUMENTATION = r"""
module: assets_load
short_description: Load an archive of images and files into a registry and a file repository
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Loads an archive of M(kubeops.kops.assets_bundle) where there is no internet access. All of the archive is verified
    before anything is written.
  - Images and files get the names that a cluster asks for if C(spec.assets) has the same registry, proxy and file
    repository.
  - What is there already is not copied again. If some cannot be copied, the others are, the error names all that are
    missing, and another run continues.
extends_documentation_fragment:
  - kubeops.kops.registries
  - kubeops.kops.progress
  - kubeops.kops.attributes
requirements:
  - boto3
options:
  path:
    description: The archive.
    type: path
    required: true
  sha256:
    description: The checksum that the archive must have, as M(kubeops.kops.assets_bundle) returns it.
    type: str
  file_repository:
    description:
      - Where the files are written, such as V(s3://bucket/path) or V(file:///srv/mirror). Without it, no files are.
    type: str
  container_registry:
    description:
      - C(spec.assets.containerRegistry) of the cluster. Without it and O(container_proxy), no images are written.
    type: str
  container_proxy:
    description: C(spec.assets.containerProxy) of the cluster.
    type: str
seealso:
  - module: kubeops.kops.assets_bundle
"""

EXAMPLES = r"""
- name: Load the bundle
  kubeops.kops.assets_load:
    path: /media/demo.tar
    file_repository: file:///srv/mirror
    container_registry: registry.example.com/kops
"""

RETURN = r"""
name:
  description: The name of the cluster that the archive was made for.
  returned: always
  type: str
kubernetes_version:
  description: The version of Kubernetes that it is for.
  returned: always
  type: str
  sample: 1.34.1
architectures:
  description: The architectures that it is for.
  returned: always
  type: list
  elements: str
# From plugins/doc_fragments/mirrored.py, by script/module-docs:
images:
  description: The images, by name.
  returned: always
  type: list
  elements: dict
  contains:
    canonical:
      description: The image under the name that its publisher gave it.
      type: str
      returned: always
      sample: registry.k8s.io/kube-apiserver:v1.34.1
    download:
      description: Its name in the mirror.
      type: str
      returned: always
      sample: registry.example.com/kops/kube-apiserver:v1.34.1
    digest:
      description: Its digest.
      type: str
      returned: always
    state:
      description: V(copied), in check mode also if it would be, or V(present).
      type: str
      returned: always
files:
  description: The files.
  returned: always
  type: list
  elements: dict
  contains:
    canonical:
      description: Where its publisher has it.
      type: str
      returned: always
      sample: https://dl.k8s.io/release/v1.34.1/bin/linux/amd64/kubelet
    download:
      description: Its place in the mirror.
      type: str
      returned: always
      sample: https://files.example.com/release/v1.34.1/bin/linux/amd64/kubelet
    sha256:
      description: Its checksum; null in check mode if none is published.
      type: str
      returned: always
    state:
      description: V(copied), in check mode also if it would be, or V(present).
      type: str
      returned: always
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.mirror import REGISTRIES, reading_options
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import PROGRESS, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.loading import load_bundle
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **REGISTRIES,
    **PROGRESS,
    "path": {"type": "path", "required": True},
    "sha256": {"type": "str"},
    "file_repository": {"type": "str"},
    "container_registry": {"type": "str"},
    "container_proxy": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Load what is missing."""
    with progress_to(module.parameters["progress_file"]) as progress:
        return load_bundle(
            module.parameters["path"],
            sha256=module.text("sha256"),
            file_repository=module.text("file_repository"),
            container_registry=module.text("container_registry"),
            container_proxy=module.text("container_proxy"),
            options=reading_options(module),
            check=module.check,
            progress=progress,
        )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
