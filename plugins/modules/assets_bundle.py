#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a cluster's images and files in one archive."""

from __future__ import annotations

DOCUMENTATION = r"""
module: assets_bundle
short_description: Write the images and files of a cluster to one archive, for use without internet access
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Downloads what M(kubeops.kops.assets_info) lists, checks it, and writes it to one archive with an index.
    M(kubeops.kops.assets_load) loads the archive into a registry and a file repository.
  - The same images and files give the same archive, byte for byte. An archive that has them already is not written.
  - What is downloaded is kept in a directory beside the archive, with C(.work) at the end of its name, until it
    is complete. A run that was interrupted continues there, and takes from an older archive what did not change.
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
  path:
    description: The archive, an uncompressed tar file. Its directory exists.
    type: path
    required: true
seealso:
  - module: kubeops.kops.assets_load
"""

EXAMPLES = r"""
- name: Write the bundle
  kubeops.kops.assets_bundle:
    state_store: s3://example-state
    name: demo.example.com
    path: /srv/demo.tar
    image_architectures: cluster
"""

RETURN = r"""
path:
  description: The archive.
  returned: success
  type: str
sha256:
  description: Checksum of the archive.
  returned: success, if the archive exists
  type: str
size:
  description: Size of the archive in bytes.
  returned: success, if the archive exists
  type: int
images:
  description: The images in it.
  returned: success, if the archive exists
  type: list
  elements: dict
  contains:
    name:
      description: The image under the name that its publisher gave it.
      type: str
      returned: always
      sample: registry.k8s.io/kube-apiserver:v1.34.1
    digest:
      description: Its digest.
      type: str
      returned: always
    media_type:
      description: What its manifest is.
      type: str
      returned: always
    size:
      description: Size of its manifest in bytes.
      type: int
      returned: always
files:
  description: The files in it.
  returned: success, if the archive exists
  type: list
  elements: dict
  contains:
    kind:
      description: What it is.
      type: str
      returned: always
      sample: kubelet
    architecture:
      description: The architecture that it is for.
      type: str
      returned: always
    url:
      description: Where its publisher has it.
      type: str
      returned: always
      sample: https://dl.k8s.io/release/v1.34.1/bin/linux/amd64/kubelet
    path:
      description: Where the archive has it.
      type: str
      returned: always
    sha256:
      description: Its checksum.
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
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.bundling import bundle_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **ARCHITECTURES,
    **REGISTRIES,
    **READING,
    **PROGRESS,
    "path": {"type": "path", "required": True},
}


def run(module: Call) -> Outcome:
    """Write the archive."""
    with progress_to(module.parameters["progress_file"]) as progress:
        return bundle_assets(
            module.state_store,
            module.cluster_name,
            module.parameters["path"],
            architectures=module.parameters["architectures"],
            options=reading_options(module),
            check=module.check,
            progress=progress,
        )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
