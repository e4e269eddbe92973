#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a report of a cluster as one HTML page."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_report
short_description: Write a report of a cluster as one HTML page
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads what can be known of a cluster, and writes it into one HTML page. These are its health with what to do, its
    nodes by zone and instance group, versions, ages of certificates and of backups of etcd, addons, and what an update
    would change.
  - The page needs no other file and no network. It can be read on a phone and be printed.
  - What cannot be read, because the API or the cloud does not answer or access is denied, keeps nothing else away. The
    page says what is missing, and why.
  - The page has no secrets. Of changes it names the fields, without their values.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.cluster.api_server
  - kubeops.kops.hosts
  - kubeops.kops.progress
options:
  path:
    description:
      - The file, on the controller. For a directory it is C(<cluster>.html) in it, which is also the default in the
        working directory.
      - Only its owner can read a new file; one that is there keeps its permissions. A file that is no report is not
        overwritten.
    type: path
  plan:
    description: Whether it is found out what M(kubeops.kops.update_cluster) would change, which reads most of all.
    type: bool
    default: true
  drift:
    description: Whether specification, state store, cloud and cluster are compared, as M(kubeops.kops.drift_info) does.
    type: bool
    default: true
requirements:
  - cryptography >= 42
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: Everything is read, and compared with the file. The file is not written.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: none
notes:
  - Nothing but the file is written. While the page would say the same as before, it stays as it is, with the time when
    it was made.
  - The API is asked with a certificate of an administrator that lives for four hours at most and is written to no file.
seealso:
  - module: kubeops.kops.validate_cloud_cluster
  - module: kubeops.kops.toolbox_dump
"""

EXAMPLES = r"""
- name: Write a report
  kubeops.kops.cluster_report:
    state_store: s3://example-state
    name: demo.example.com
    path: /srv/reports
  register: kops_report

- name: Tell somebody of errors
  ansible.builtin.debug:
    msg: "{{ kops_report.text }}"
  when: kops_report.report.problems | selectattr('severity', 'eq', 'error') | list | length > 0
"""

RETURN = r"""
path:
  description: The file.
  returned: success
  type: str
  sample: /srv/reports/demo.example.com.html
text:
  description: The problems and what is not known, for a terminal.
  returned: success
  type: list
  elements: str
report:
  description: All that the page says.
  returned: success
  type: dict
  contains:
    cluster:
      description: >-
        The cluster by its specification - C(name), C(cloud), C(region), C(state_store), C(created),
        C(kubernetes_version), C(channel), the C(recommended) and the oldest accepted version (C(required)), and
        C(updated_by), the version of kops that the last update followed.
      type: dict
      returned: always
    problems:
      description: >-
        What should be done, the worst first. Each has a C(severity), which is V(error), V(warning) or V(notice), a
        C(kind), C(names), a C(message), what to do (C(todo)), a C(command) that helps, and an C(instance_group).
      type: list
      elements: dict
      returned: always
    unread:
      description: Parts that are not there (C(what)), and C(why). These parts are V(null) then.
      type: list
      elements: dict
      returned: always
    warnings:
      description: What was said while reading.
      type: list
      elements: str
      returned: always
    zones:
      description: The zones of the cluster; empty text for nodes that are in none.
      type: list
      elements: str
      returned: always
    topology:
      description: >-
        For each C(instance_group) its C(role), the zones that its specification names (C(expected)), and C(cells) with
        the C(nodes) of each C(zone).
      type: list
      elements: dict
      returned: always
    groups:
      description: >-
        The instance groups with C(name), C(role), C(zones), C(min_size), C(max_size), how many instances the cloud is
        told to keep (C(wanted)), C(machine_type), C(image), and whether the specification has them (C(specified)).
      type: list
      elements: dict
      returned: always
    nodes:
      description: >-
        Nodes and instances with C(name), C(instance), C(instance_group), C(role), C(zone), C(health), C(version),
        whether a rolling update is due (C(outdated)), C(reasons), C(state), C(power), C(cordoned), C(machine_type),
        C(address) and C(launched).
      type: list
      elements: dict
      returned: always
    keys:
      description: >-
        Keysets with C(name), when the key pair that signs was C(made) and C(expires), how many are C(trusted) and
        C(distrusted), and the C(next_step) of a rotation that was begun.
      type: list
      elements: dict
      returned: always
    backups:
      description: >-
        Etcd clusters (C(etcd)) with the C(place) and C(count) of their backups, the times of the C(oldest) and the
        C(last) one, its C(size), how often one is due (C(every), in seconds), and whether it is C(late).
      type: list
      elements: dict
      returned: always
    addons:
      description: Addons with C(name), C(id), C(channel) and C(status), as M(kubeops.kops.addons_info) has them.
      type: list
      elements: dict
      returned: always
    plan:
      description: >-
        What an update would change, with the C(id) of the plan, C(counts) by action, and C(changes), each with an
        C(action), C(kind), C(name), C(fields) and C(reason).
      type: dict
      returned: always
    drift:
      description: >-
        What differs (C(found)), each with C(where), C(what), C(kind), C(name), names of the C(fields), C(reason),
        C(mend), as M(kubeops.kops.drift_info) has them, and whether another part of the page says it (C(told)); and
        what was not looked at (C(unseen)), with C(what) and C(why).
      type: dict
      returned: always
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.read import ReportOptions, read_report
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.text import lines_of

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    "path": {"type": "path"},
    "plan": {"type": "bool", "default": True},
    "drift": {"type": "bool", "default": True},
    "hosts": {"type": "dict"},
    "api_server": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Read everything. The action plugin makes the page of it, on the controller."""
    given = module.parameters
    options = ReportOptions(
        module.state_store,
        module.cluster_name,
        hosts=given["hosts"] or {},
        plan=given["plan"],
        api_server=module.text("api_server"),
        drift=given["drift"],
    )
    with progress_to(given["progress_file"]) as progress:
        report = read_report(options, progress)
    return Outcome(
        values={"report": report.plain(), "text": lines_of(report), "path": module.text("path") or "."},
        warnings=report.warnings,
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
