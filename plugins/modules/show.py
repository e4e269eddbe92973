#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: text for a reader."""

from __future__ import annotations

DOCUMENTATION = r"""
module: show
short_description: Show text in the terminal as it is
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Writes a text to the terminal and to the log of a job, line by line. C(ansible.builtin.debug) would show it as
    quoted JSON, which cannot be pasted into a file.
  - The playbooks of this collection show manifests and lists with it.
extends_documentation_fragment:
  - kubeops.kops.attributes.unchanging
options:
  text:
    description: The lines, as one text or as a list. Nothing is shown of an empty text.
    type: list
    elements: str
    default: []
  table:
    description: Columns of a table, by their names, each a list with a text for each row.
    type: dict
    default: {}
  changes:
    description:
      - Changes of hosts, by their names, in the form of RV(kubeops.kops.node_converge#module:changes). They are shown
        as plans are.
    type: dict
    default: {}
  hosts:
    description:
      - Names of hosts by how a run has ended for them - C(new), C(changed), C(deferred), C(unchanged), C(failed) and
        C(left_out). One line says how many there are of each, and which; in check mode, what would be.
    type: dict
    default: {}
    version_added: 0.1.0
  stats:
    description:
      - Variables for the next nodes of a workflow, in AWX the artifacts of the job, as M(ansible.builtin.set_stats)
        passes them on. They are set when all is shown, also if the module fails then.
    type: dict
    default: {}
    version_added: 0.1.0
  error:
    description: Fail with this message when all is shown. Without it, or with an empty text, the module does not fail.
    type: str
"""

EXAMPLES = r"""
- name: Read the cluster
  kubeops.kops.cluster_info:
    name: demo.example.com
    state_store: s3://example-state
  register: kops_get

- name: Show its manifests
  kubeops.kops.show:
    text: ["{{ kops_get.manifest }}"]

- name: Show what differs, and pass it on
  kubeops.kops.show:
    text: "{{ kops_drift.text }}"
    stats:
      kops_drifted: "{{ kops_drift.drifted }}"
"""

RETURN = r"""
lines:
  description: The lines that were shown.
  returned: success
  type: list
  elements: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.table import table_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import entry_of_change
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import plan_lines
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.summary import line_of

ARGUMENTS = {
    "text": {"type": "list", "elements": "str", "default": []},
    "table": {"type": "dict", "default": {}},
    "changes": {"type": "dict", "default": {}},
    "hosts": {"type": "dict", "default": {}},
    "stats": {"type": "dict", "default": {}},
    "error": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """The lines; the action plugin of the same name shows them."""
    lines = [line for text in module.parameters["text"] for line in text.splitlines()]
    columns = module.parameters["table"]
    if columns:
        rows = list(zip(*columns.values()))
        lines += table_of([name.upper() for name in columns], rows).splitlines()
    lines += filter(None, [line_of(module.parameters["hosts"], check=module.check)])
    for host, changes in module.parameters["changes"].items():
        planned = plan_lines([entry_of_change(each) for each in changes], listed=None)
        lines += [f"{host}:", *(f"  {line.text}".rstrip() for line in planned)]
    if module.text("error"):
        raise KopsError("\n".join([module.text("error"), *lines]))
    return Outcome(values={"lines": lines})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
