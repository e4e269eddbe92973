# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible lookup: what AWX has of the collection and is not wanted any more."""

from __future__ import annotations

DOCUMENTATION = r"""
name: awx_unwanted
short_description: Objects in AWX that were loaded for the playbooks once and are not wanted any more
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Compares objects of AWX with what P(kubeops.kops.awx_resources#lookup) gives. It asks nothing and writes nothing.
  - Only objects with a mark that names them are found. So neither what others have made nor copies that users have made
    of job templates are among them.
  - Projects, inventories and execution environments are never among them.
options:
  _terms:
    description: Objects as the API of AWX shows them, of the lists in C(marked) of the resources.
    type: list
    elements: dict
  resources:
    description: What P(kubeops.kops.awx_resources#lookup) gives for the same O(prefix).
    type: dict
    required: true
  prefix:
    description: What the names of all resources begin with.
    type: str
    default: kops
seealso:
  - plugin: kubeops.kops.awx_resources
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Show which job templates of AWX are not wanted any more
  vars:
    resources: "{{ lookup('kubeops.kops.awx_resources') }}"
    templates: "{{ query('awx.awx.controller_api', 'job_templates', return_all=true) }}"
  ansible.builtin.debug:
    msg: "{{ query('kubeops.kops.awx_unwanted', *templates, resources=resources) | map(attribute='name') }}"
"""

RETURN = r"""
_raw:
  description:
    - What is not wanted any more, in the order in which it can be deleted.
    - C(kind) is the endpoint of the API, C(name) the name, and C(path) both. A schedule has C(unified_job_template),
      and a node of a workflow C(workflow_job_template).
    - Nodes of a workflow that is not wanted are not named.
  type: list
  elements: dict
"""

from typing import Any

from ansible.plugins.lookup import LookupBase
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx_marks import unwanted


class LookupModule(LookupBase):
    """kubeops.kops.awx_unwanted"""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[dict[str, str]]:
        """What of the objects is not wanted."""
        self.set_options(var_options=variables, direct=kwargs)
        return unwanted(self.get_option("resources"), terms, self.get_option("prefix"))
