#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: kubeconfig files."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kubeconfig
short_description: Write a cluster into a kubeconfig file
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Merges the API server of a cluster, its CA, and an admin certificate of limited life into a kubeconfig file, or
    takes them out of it. What else is in the file stays.
  - The file is made readable for its owner only.
  - A certificate that is in the file already is kept while it was signed by the present CA and has at least half of
    its life before it.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.attributes
requirements:
  - cryptography >= 42
options:
  name:
    description:
      - Name of the cluster, which is also the name of its entries in the file.
      - Taken from the environment variable E(KOPS_CLUSTER_NAME) if it is not given.
    type: str
    aliases: [cluster_name]
  all:
    description:
      - All clusters of the store, whatever O(name) and the environment say. The current context of the file stays as
        it is. Clusters that cannot be written, such as those without a CA yet, are left out with a warning.
    type: bool
    default: false
  path:
    description:
      - The kubeconfig file, where the module runs.
      - The first file of the environment variable E(KUBECONFIG), else C(~/.kube/config), if it is not given.
    type: path
  state:
    description: Whether the cluster is in the file. With V(absent) neither the store nor the cluster is asked,
      unless O(all=true).
    type: str
    choices: [present, absent]
    default: present
  admin:
    description:
      - How long the admin certificate lives, as a duration such as V(18h) or V(30m).
      - V(0) writes no certificate.
      - V(18h) if it is not given, or V(0) with O(user).
    type: str
  auth_plugin:
    description:
      - Write no certificate into the file, but the name of a program of this collection that kubectl runs (a credential
        plugin). It makes a certificate from the state store when there is none, and keeps it until it ends.
      - The file is for this user on this machine, who must be able to read the private key of the cluster's CA in the
        state store whenever a new certificate is needed.
      - O(admin) says how long each certificate lives, V(1h) if it is not given.
    type: bool
    default: false
  user:
    description: Name of a user that the file has already, to reach the cluster as. It excludes O(admin)
      and O(auth_plugin).
    type: str
  internal:
    description: Use the name of the API server that nodes use.
    type: bool
    default: false
  api_server:
    description:
      - Address of the API server, if it is none of those that the cluster's specification gives; a URL, or a host.
      - Required for a bare metal cluster whose C(spec.api.publicName) is not set.
    type: str
  switch_context:
    description: Make the cluster the current context of the file.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Reach a cluster as administrator until the evening
  kubeops.kops.kubeconfig:
    state_store: s3://example-state
    name: demo.example.com
    admin: 10h

- name: Write a file of its own
  kubeops.kops.kubeconfig:
    state_store: s3://example-state
    name: demo.example.com
    path: ~/.kube/demo

- name: Reach a cluster as long as the state store can be read
  kubeops.kops.kubeconfig:
    state_store: s3://example-state
    name: demo.example.com
    auth_plugin: true

- name: Reach all clusters of a store for a day
  kubeops.kops.kubeconfig:
    state_store: s3://example-state
    all: true
    admin: 24h

- name: Take a cluster out again
  kubeops.kops.kubeconfig:
    name: demo.example.com
    state: absent
"""

RETURN = r"""
path:
  description: The file.
  returned: success
  type: str
server:
  description: Address of the API server.
  returned: with state=present, without all
  type: str
expires:
  description: When the admin certificate ends; empty without one.
  returned: with state=present, without all
  type: str
clusters:
  description: The clusters that were written or taken out.
  returned: with all
  type: list
  elements: dict
  contains:
    name:
      description: Name of the cluster.
      type: str
      returned: always
    server:
      description: Address of its API server.
      type: str
      returned: with state=present
    expires:
      description: When its admin certificate ends; empty without one.
      type: str
      returned: with state=present
"""

from collections.abc import Sequence
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import CLUSTER, STATE_STORE, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import PRESENT_OR_ABSENT
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.export import (
    KubeconfigOptions,
    KubeconfigResult,
    export_kubeconfig,
    path_of,
    remove_from_kubeconfig,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.export_all import (
    export_all,
    remove_all,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PRESENT_OR_ABSENT,
    "all": {"type": "bool", "default": False},
    "path": {"type": "path"},
    "admin": {"type": "str"},
    "auth_plugin": {"type": "bool", "default": False},
    "user": {"type": "str"},
    "internal": {"type": "bool", "default": False},
    "api_server": {"type": "str"},
    "switch_context": {"type": "bool", "default": True},
}


def run(module: Call) -> Outcome:
    """Make the file what the state says."""
    options = KubeconfigOptions(
        state_store=module.state_store,
        name=module.cluster_name,
        path=module.text("path"),
        admin=module.text("admin"),
        user=module.text("user"),
        internal=bool(module.parameters["internal"]),
        api_server=module.text("api_server"),
        switch=bool(module.parameters["switch_context"]),
        auth_plugin=bool(module.parameters["auth_plugin"]),
    )
    present = module.text("state") == "present"
    if module.parameters["all"]:
        results, warnings = (export_all if present else remove_all)(options, check=module.check)
        clusters = [{"name": name, **_about(result, present)} for name, result in results.items()]
        return _outcome(list(results.values()), {"path": path_of(options), "clusters": clusters}, warnings)
    if not options.name:
        raise KopsError("no cluster is named; set name or all, or KOPS_CLUSTER_NAME in the environment")
    if present:
        result = export_kubeconfig(options, check=module.check)
    else:
        result = remove_from_kubeconfig(options.name, options.path, check=module.check)
    return _outcome([result], {"path": result.path, **_about(result, present)}, [])


def _about(result: KubeconfigResult, present: bool) -> dict[str, str]:
    return {"server": result.server, "expires": result.expires} if present else {}


def _outcome(results: Sequence[KubeconfigResult], values: dict[str, Any], warnings: Sequence[str]) -> Outcome:
    changed = [each for each in results if each.changed]
    return Outcome(
        changed=bool(changed),
        values=values,
        differences=[Difference(each.path, each.before, each.after) for each in changed],
        warnings=[*(warning for each in results for warning in each.warnings), *warnings],
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
