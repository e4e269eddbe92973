# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option by which a cluster takes over what is another one's."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that store a specification, or apply one."""

    DOCUMENTATION = r"""
options:
  adopt:
    description:
      - What this cluster takes over from another one, each by the name that the error message gives. That is a
        directory of a store, or the name of a cluster.
      - Without it, the module stops before it writes, if a place that the specification names, the objects of the
        cluster's name in the cloud, or the Terraform directory are another cluster's.
    type: list
    elements: str
    default: []
"""
