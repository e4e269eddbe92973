#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the versions of Kubernetes that run in a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: versions_info
short_description: Tell which versions of Kubernetes run in a cluster
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Asks the API of a running cluster which version each node runs, and the API server that answers which deprecated
    APIs clients have requested since it started.
  - Run it on each host of the control plane, as each API server only knows of its own clients.
extends_documentation_fragment:
  - kubeops.kops.kubernetes
  - kubeops.kops.attributes.info
seealso:
  - module: kubeops.kops.upgrade_cluster
"""

EXAMPLES = r"""
- name: Tell which versions run
  kubeops.kops.versions_info:
  become: true
  register: kops_running
"""

RETURN = r"""
api_servers:
  description: The nodes with an API server, and their versions.
  returned: success
  type: dict
  sample: {"cp1": "1.34.2"}
kubelets:
  description: All other nodes, and the versions of their kubelets.
  returned: success
  type: dict
  sample: {"node1": "1.33.4"}
deprecated:
  description:
    - The deprecated APIs that clients have requested of this API server, and the first minor version that does not
      serve them any more.
  returned: success
  type: dict
  sample: {"batch/v1beta1 cronjobs": "1.25"}
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, client_of
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.deprecated import deprecated_in
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.running_versions import running_versions

ARGUMENTS = {**KUBERNETES}


def run(module: Call) -> Outcome:
    """Ask."""
    client = client_of(module)
    found = running_versions(client)
    deprecated = deprecated_in(client.text("/metrics"))
    return Outcome(
        values={"api_servers": dict(found.servers), "kubelets": dict(found.kubelets), "deprecated": deprecated}
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
