# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what modules return that fill a mirror."""

from __future__ import annotations


class ModuleDocFragment:
    """Return values of modules that copy images and files to a mirror."""

    RETURN = r"""
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
