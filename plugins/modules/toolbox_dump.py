#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: state and logs of a cluster in one archive."""

from __future__ import annotations

DOCUMENTATION = r"""
module: toolbox_dump
short_description: Write the state and logs of a cluster into an archive without secrets
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Collects what helps to find out what is wrong with a cluster, as C(kops toolbox dump) does - its specification, the
    objects of its API, events, logs of pods and nodes, objects and health in the cloud, consoles of instances, and what
    M(kubeops.kops.node_dump) has collected on hosts.
  - What cannot be asked keeps nothing else away. The archive has an index (C(index.json), and C(summary.txt) for
    people) with what is there, what is not, and why.
  - Private keys, secrets and the values of Secrets that the state store has are searched for in everything, also in
    base64 and in pieces, and removed; so is all that looks like a private key, a token or a password. Then the finished
    archive is searched once more. If a known secret is still there, the module fails, and the archive is deleted.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster
  - kubeops.kops.cluster.api_server
  - kubeops.kops.progress
  - kubeops.kops.dump
  - kubeops.kops.attributes
options:
  directory:
    description: Directory that gets the archive. It is there already.
    type: path
    default: .
  hosts:
    description:
      - What M(kubeops.kops.node_dump) has returned for hosts, by their names. Each has C(archive), the file, or C(why)
        there is none; C(instance_group) and C(asked_api).
      - If it is not given, the variables C(kops_dumped) of the inventory's hosts say it.
    type: dict
  cloud_resources:
    description: Whether the cloud is asked.
    type: bool
    default: true
requirements:
  - cryptography >= 42
notes:
  - Nothing is written to the cluster, the cloud or the state store. Each run writes another archive.
  - In check mode, it is found out who can be asked, and nothing is written.
seealso:
  - module: kubeops.kops.node_dump
"""

EXAMPLES = r"""
- name: Write state and logs into an archive
  kubeops.kops.toolbox_dump:
    state_store: s3://example-state
    name: demo.example.com
    directory: /tmp
"""

RETURN = r"""
path:
  description: The archive; in check mode the one that would be written. It is named by cluster and time.
  returned: success
  type: str
  sample: /tmp/demo.example.com-20260508T120000Z.tar.gz
size:
  description: Its bytes; 0 in check mode.
  returned: success
  type: int
nodes:
  description: What became of each node; empty in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node, host or instance.
      type: str
      returned: always
    instance_group:
      description: Its instance group; empty if that is not known.
      type: str
      returned: always
    way:
      description: How it was asked, by V(ssh), V(api) or V(console). A node may be there by several ways.
      type: str
      returned: always
    files:
      description: How many files came.
      type: int
      returned: always
    why:
      description: Why not everything came; empty if it did.
      type: str
      returned: always
missing:
  description: What could not be collected, with C(what) and C(why); empty in check mode.
  returned: success
  type: list
  elements: dict
removed:
  description: What was removed because it is secret, and how often; empty in check mode.
  returned: success
  type: dict
text:
  description: The summary; in check mode what would be collected.
  returned: success
  type: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.dump import DUMP
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.dump.dump import DumpOptions, dump
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    **DUMP,
    "directory": {"type": "path", "default": "."},
    "hosts": {"type": "dict"},
    "api_server": {"type": "str"},
    "cloud_resources": {"type": "bool", "default": True},
}


def run(module: Call) -> Outcome:
    """Collect, search, and write."""
    given = module.parameters
    options = DumpOptions(
        module.state_store,
        module.cluster_name,
        module.text("directory") or ".",
        hosts=given["hosts"] or {},
        nodes=given["nodes"],
        max_nodes=given["max_nodes"],
        log_bytes=given["log_bytes"],
        node_seconds=given["node_timeout"],
        objects=given["objects"],
        namespaces=given["namespaces"],
        cloud=given["cloud_resources"],
        api_server=module.text("api_server"),
    )
    with progress_to(given["progress_file"]) as progress:
        done = dump(options, progress, check=module.check)
    found = {"nodes": [], "missing": [], "removed": {}, **done.index}
    values = {name: found[name] for name in ("nodes", "missing", "removed")}
    return Outcome(True, {"path": done.path, "size": done.size, "text": done.text, **values})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
