# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible lookup: what AWX gets for the playbooks of the collection."""

from __future__ import annotations

DOCUMENTATION = r"""
name: awx_resources
short_description: Job templates, workflows, schedules and credential types of AWX for the playbooks
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Makes the data that the playbook C(kubeops.kops.awx) loads into AWX or an Automation Controller.
  - Surveys are made from the descriptions of the playbooks' variables.
  - It asks nothing and writes nothing. So the data can also be loaded in another way.
options:
  _terms:
    description: Not used.
  prefix:
    description: What the names of all resources begin with.
    type: str
    default: kops
  organization:
    description: The organization of AWX to which all belong. It must be there.
    type: str
    default: Default
  clusters:
    description: Names of the clusters that surveys offer. Without any, a survey asks for a name.
    type: list
    elements: str
    default: []
  inventory:
    description: The inventory of the job templates.
    type: str
    default: kops
  project:
    description: The project of the job templates.
    type: str
    default: kops
  project_url:
    description: URL of the project's git repository. Without it, the project must be there.
    type: str
    default: ''
  project_branch:
    description: Branch, tag or commit of the project.
    type: str
    default: ''
  playbook_directory:
    description: Directory of the playbooks in the project. They have the names of those of this collection.
    type: str
    default: playbooks
  execution_environment:
    description: The execution environment of the job templates. Without it and O(image), that of the organization.
    type: str
    default: ''
  image:
    description: Image of the execution environment. Without it, the execution environment must be there.
    type: str
    default: ''
  credentials:
    description: Names of the credentials that all job templates get. They must be there.
    type: list
    elements: str
    default: []
  schedules:
    description: The schedules that are wanted.
    type: list
    elements: str
    choices: [drift, repair, etcd_backup]
    default: [drift]
  loader:
    description:
      - A collection that is needed to load the data, such as V(awx.awx).
      - The lookup fails if it is not installed.
    type: str
    default: ''
seealso:
  - plugin: kubeops.kops.awx_unwanted
    plugin_type: lookup
  - name: AWX and Automation Controller
    description: How a team adopts the playbooks in AWX.
    link: https://github.com/kubeops/kubeops.kops/blob/main/docs/awx.md
"""

EXAMPLES = r"""
- name: Show which job templates there would be
  ansible.builtin.debug:
    msg: "{{ lookup('kubeops.kops.awx_resources', prefix='prod').job_templates | map(attribute='name') }}"
"""

RETURN = r"""
_raw:
  description:
    - One mapping, of kinds of resources to lists of resources. Their keys are options of the modules of C(awx.awx).
    - Each resource has C(needs), what must be in AWX before, as endpoint of the API and name, itself among them.
    - C(wanted) lists what must be there before all, and C(looked_for) the lists of the API that say what is there.
    - C(marked) are the lists of the API with all that was loaded by these options, also by an earlier version of the
      collection. P(kubeops.kops.awx_unwanted#lookup) tells what of it is not wanted any more.
  type: list
  elements: dict
"""

import dataclasses
import importlib.util
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import (
    Settings,
    looked_for,
    resources_of,
    wanted_of,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx_marks import lists_of_marked


def _is_installed(collection: str) -> bool:
    try:
        return importlib.util.find_spec(f"ansible_collections.{collection}") is not None
    except ModuleNotFoundError:  # its namespace is not there either
        return False


class LookupModule(LookupBase):
    """kubeops.kops.awx_resources"""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[dict[str, Any]]:
        """The resources, in a list of one. Raises AnsibleError if the collection that loads them is not there."""
        self.set_options(var_options=variables, direct=kwargs)
        options = dict(self.get_options())
        loader = options.pop("loader")
        if loader and not _is_installed(loader):
            install = f"ansible-galaxy collection install {loader}"
            raise AnsibleError(f"the collection {loader} is not installed here; install it with: {install}")
        settings = Settings(**{each.name: options[each.name] for each in dataclasses.fields(Settings)})
        resources = resources_of(settings)
        try:
            asked = looked_for(resources)
        except ValueError as error:
            raise AnsibleError(str(error)) from error
        marked = lists_of_marked(settings.prefix, settings.organization)
        return [{**resources, "wanted": wanted_of(resources), "looked_for": asked, "marked": marked}]
