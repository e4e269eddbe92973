#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a cluster's images and files are copied to its mirror."""

from __future__ import annotations

DOCUMENTATION = r"""
module: assets_copy
short_description: Copy the images and files of a cluster to its own registry and file repository
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Copies what M(kubeops.kops.assets_info) lists from its publishers to the places that C(spec.assets) of the cluster
    names, as C(kops get assets --copy) does.
  - Images go from registry to registry, and need no container engine. An image is copied if the mirror has none of its
    name with the same digest.
  - Files are checked against their checksums, and each gets a file beside it that ends in C(.sha256). A file is copied
    if the mirror does not have it with its checksum.
  - Several are copied at the same time. If some cannot be copied, the others are, the error names all that are missing,
    and another run continues.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.registries
  - kubeops.kops.registries.reading
  - kubeops.kops.progress
  - kubeops.kops.attributes
requirements:
  - boto3
options:
  file_repository:
    description:
      - Where the files are written, such as V(s3://bucket/path) or V(file:///srv/mirror).
      - It is needed if C(spec.assets.fileRepository) is a URL that can only be read. URLs of Amazon S3 and of
        Google Cloud Storage, C(s3://), C(gs://) and C(file://) are written as they are.
    type: str
notes:
  - Objects in S3 and in Google Cloud Storage that nodes read over HTTPS are made public, as kops does, unless the
    bucket's policy does that.
seealso:
  - module: kubeops.kops.assets_info
  - module: kubeops.kops.assets_bundle
"""

EXAMPLES = r"""
- name: Fill the mirror
  kubeops.kops.assets_copy:
    state_store: s3://example-state
    name: demo.example.com
    file_repository: s3://example-mirror/files
"""

RETURN = r"""
name:
  description: The name of the cluster.
  returned: always
  type: str
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


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.mirror import (
    ARCHITECTURES,
    READING,
    REGISTRIES,
    reading_options,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.copying import copy_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **ARCHITECTURES,
    **REGISTRIES,
    **READING,
    **PROGRESS,
    "file_repository": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Copy what is missing."""
    with progress_to(module.parameters["progress_file"]) as progress:
        return copy_assets(
            module.state_store,
            module.cluster_name,
            architectures=module.parameters["architectures"],
            file_repository=module.text("file_repository"),
            options=reading_options(module),
            check=module.check,
            progress=progress,
        )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
