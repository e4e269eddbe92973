#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: manifest files into the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: replace
short_description: Store the manifests of files or directories
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Replaces Clusters, InstanceGroups, SSHCredentials and additional objects in a state store of kops by those of
    manifest files, which are kept in git for example.
  - Objects that the files do not name stay as they are, except with O(prune). Additional objects are replaced
    altogether if there are any.
  - Everything is validated before anything is written, and all problems are reported at once.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.lease
  - kubeops.kops.progress
  - kubeops.kops.attributes
  - kubeops.kops.adopt
options:
  src:
    description:
      - Files, or directories whose files that end in C(.yaml), C(.yml) or C(.json) are all read.
      - They are read where the module runs.
    type: list
    elements: path
    required: true
    aliases: [manifest, manifests, filename]
  force:
    description: Create objects that the store does not have. Without it they are an error.
    type: bool
    default: false
  prune:
    description:
      - Remove the instance groups of these clusters that the files do not name. The next
        M(kubeops.kops.update_cluster) deletes their objects in the cloud.
      - Refused for the last instance group of the control plane, and for groups that hold members of etcd clusters.
    type: bool
    default: false
  name:
    description:
      - Only accept objects of this cluster, and take objects that name no cluster to be of it.
      - Without it the manifests say which clusters are meant. The environment variable E(KOPS_CLUSTER_NAME) does not
        count here.
    type: str
    aliases: [cluster_name]
seealso:
  - module: kubeops.kops.cluster
  - module: kubeops.kops.update_cluster
"""

EXAMPLES = r"""
- name: Store what is in git, and remove the instance groups that are no longer there
  kubeops.kops.replace:
    state_store: s3://example-state
    src: clusters/demo.example.com
    force: true
    prune: true

- name: Store what is in git
  kubeops.kops.replace:
    state_store: s3://example-state
    src: clusters/demo.example.com
    force: true

- name: See what would change
  kubeops.kops.replace:
    state_store: s3://example-state
    src:
      - cluster.yaml
      - groups.yaml
  check_mode: true
  diff: true
"""

RETURN = r"""
names:
  description: Names of the clusters that the manifests are about.
  returned: success
  type: list
  elements: str
unnamed:
  description:
    - Instance groups that the store has, and that the files do not name, though their Cluster is in them.
    - They stay, unless O(prune) is set.
  returned: success
  type: list
  elements: str
manifest:
  description:
    - All that the store would say of the clusters that the files are about, as one YAML text.
    - M(kubeops.kops.update_cluster) takes it to plan with what is not stored yet.
  returned: in check mode
  type: str
# From plugins/doc_fragments/store_changes.py, by script/module-docs:
plan:
  description:
    - What changed in the store, or would in check mode, in the form of RV(kubeops.kops.update_cluster#module:plan).
    - The fields of an object are called by their paths in its manifest, for example C(spec.maxSize).
  returned: success
  type: list
  elements: dict
plan_text:
  description: The same for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
summary:
  description: How many objects are created, updated and deleted.
  returned: success
  type: dict
# From plugins/doc_fragments/next_steps.py, by script/module-docs:
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    ADOPT,
    CLUSTER,
    LEASE,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import store_options, store_outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import load_files, sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import put

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **LEASE,
    **ADOPT,
    **PROGRESS,
    "src": {
        "type": "list",
        "elements": "path",
        "required": True,
        "aliases": ["manifest", "manifests", "filename"],
    },
    "force": {"type": "bool", "default": False},
    "prune": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Store the files' objects."""
    locations = [location for location in module.parameters["src"] if location]
    objects = load_files(locations)
    if not objects:
        raise KopsError(f"there is no object in {', '.join(locations) or 'src'}")
    wanted = sort_objects(objects, module.text("name"))
    create, prune = (bool(module.parameters[option]) for option in ("force", "prune"))
    with progress_to(module.parameters["progress_file"]) as progress:
        result = put(store_options(module, progress), wanted, create=create, prune=prune, check=module.check)
    return store_outcome(module, result, names=[each.name for each in wanted], unnamed=result.unnamed)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
