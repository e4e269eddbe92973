#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a backup of etcd becomes its data again."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_restore
short_description: Restore backups of etcd on a host
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Takes a host through one phase of restoring backups of etcd. All hosts with members of the etcd clusters go through
    a phase before any of them begins the next one. The playbook C(kubeops.kops.etcd_restore) does that.
  - The data that were there stay on the host, in a directory beside the new ones whose name ends with
    C(.before-) and O(restore). Of several restores, those of the last two stay.
  - The restored database gets new revisions, so that clients that watch objects read all of them again.
  - A restore that is broken off is completed by another one from its beginning.
extends_documentation_fragment:
  - kubeops.kops.attributes
options:
  phase:
    description:
      - V(prepare) makes new data of the backups, beside the old ones. Everything keeps running.
      - V(stop) stops the control plane and the members, and waits until they have ended.
      - V(swap) puts the new data in the place of the old ones, and lets the members start.
      - V(start) waits until the members serve, and lets the control plane start. Then data of earlier restores go.
    type: str
    choices: [prepare, stop, swap, start]
    required: true
  restore:
    description:
      - Names the restore; the same for all hosts and phases, and another one for each restore. A time, as in
        V(20260508T120000Z), since what comes later counts as newer.
    type: str
    required: true
  etcd_clusters:
    description: The etcd clusters.
    type: list
    elements: str
    required: true
  directory:
    description:
      - Directory of the host with the backups, which are named V(<cluster>.backup.gz). Required with O(phase=prepare).
    type: path
  members:
    description:
      - The members of all hosts, as M(kubeops.kops.node_info) returns them in RV(kubeops.kops.node_info#module:etcd).
        The restored clusters consist of these. Required with O(phase=prepare).
    type: list
    elements: dict
notes:
  - The module runs on the host, as root. It uses C(etcdutl) of the image that the member runs, by means of containerd.
seealso:
  - module: kubeops.kops.etcd_backup_fetch
  - module: kubeops.kops.etcd_backup
"""

EXAMPLES = r"""
- name: Prepare the data of a backup
  kubeops.kops.etcd_restore:
    phase: prepare
    restore: 20260508T120000Z
    etcd_clusters: [main]
    directory: /root
    members: "{{ kops_observed.etcd }}"
  become: true
"""

RETURN = r"""
changes:
  description: What was done, or would be done in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: Kind and name of what is concerned.
      type: str
      returned: always
      sample: etcd:main
    before:
      description: What it was, and where that is now; null if there was nothing.
      type: str
      returned: always
      sample: kept in /mnt/disks/demo.example.com--main--a/data.before-20260508T120000Z
    after:
      description: What it is now.
      type: str
      returned: always
"""

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report, Step
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.restore import Restore
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import lock

ARGUMENTS = {
    "phase": {"type": "str", "choices": ["prepare", "stop", "swap", "start"], "required": True},
    "restore": {"type": "str", "required": True},
    "etcd_clusters": {"type": "list", "elements": "str", "required": True},
    "directory": {"type": "path"},
    "members": {"type": "list", "elements": "dict"},
}
RULES: dict[str, Any] = {"required_if": [("phase", "prepare", ["directory", "members"])]}
# Seconds to wait for a run that converges the host.
_LOCK_WAIT = 120


def act(module: Call) -> list[Step]:
    """Go through the phase."""
    given = module.parameters
    restore = Restore(given["restore"], given["etcd_clusters"], check=module.check)
    with lock.held(lock.PATH, wait=_LOCK_WAIT, check=module.check):
        if given["phase"] == "prepare":
            return restore.prepare(given["directory"], given["members"])
        phases = {"stop": restore.stop, "swap": restore.swap, "start": restore.start}
        return phases[given["phase"]]()


def run(module: Call) -> Outcome:
    """Go through the phase; what the host refuses is an error for the user."""
    try:
        return Report(steps=act(module)).outcome()
    except OSError as error:
        place = error.filename or "the host"
        raise KopsError(f"{place}: {error.strerror}; run again when that is mended") from error


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, **RULES).run(run)


if __name__ == "__main__":
    main()
