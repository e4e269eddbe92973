#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a host collects its state and logs."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_dump
short_description: Collect the state and logs of a host in an archive on the controller
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Collects journals, files of C(/var/log), what the network, disks and limits of the host are, and the settings of its
    kubelet and containerd, in one process on the host, as C(kops toolbox dump) does.
  - Files with keys, credentials or logins are never opened. What looks like a secret in the others is taken out on the
    host already. M(kubeops.kops.toolbox_dump) searches for the secrets that the state store knows.
  - On a control plane with O(api_server=true), it also asks the API server of the cluster for its objects and the logs
    of its pods, as M(kubeops.kops.toolbox_dump) does from the controller.
extends_documentation_fragment:
  - kubeops.kops.attributes
  - kubeops.kops.dump
options:
  destination:
    description: File on the controller that gets the archive. Only its owner can read it.
    type: path
    required: true
  size_limit:
    description: Bytes that all files of the host together may have, before they are compressed.
    type: int
    default: 268435456
  api_server:
    description: Whether to ask the API server, with the kubeconfig of the administrator on the host.
    type: bool
    default: false
  api_addresses:
    description: Addresses of other API servers, which are tried if the host's own does not answer.
    type: list
    elements: str
    default: []
notes:
  - The archive is in a directory of root on the host while it is fetched, and is removed then. What an interrupted run
    has left is removed by the next one.
  - Memory holds no file as a whole. All commands and files together may take O(node_timeout) seconds.
seealso:
  - module: kubeops.kops.toolbox_dump
"""

EXAMPLES = r"""
- name: Collect the state and logs of the host
  kubeops.kops.node_dump:
    destination: /tmp/node-1.tar.gz
  become: true
"""

RETURN = r"""
file:
  description: The archive on the controller; empty in check mode.
  returned: success
  type: str
size:
  description: Its bytes.
  returned: success
  type: int
count:
  description: How many files are in it.
  returned: success
  type: int
missing:
  description: How many things could not be collected. The index in the archive names them.
  returned: success
  type: int
asked_api:
  description: Whether the API server was asked and has answered.
  returned: success
  type: bool
would:
  description: What would be collected.
  returned: in check mode
  type: list
  elements: str
"""

import os
import shutil
import tempfile
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.dump import DUMP
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.dump.archive import Archive
from ansible_collections.kubeops.kops.plugins.module_utils.dump.cluster import ClusterDump, ClusterLimits
from ansible_collections.kubeops.kops.plugins.module_utils.dump.host import HostDump, HostLimits, planned
from ansible_collections.kubeops.kops.plugins.module_utils.dump.redaction import Redaction
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy

ARGUMENTS = {
    **DUMP,
    "destination": {"type": "path", "required": True},
    "size_limit": {"type": "int", "default": 268435456},
    "api_server": {"type": "bool", "default": False},
    "api_addresses": {"type": "list", "elements": "str", "default": []},
}
# Where the archive is until it is fetched: on a disk, or in memory if that is full.
PLACES = ("/var/lib/kops-dump", "/run/kops-dump")
_REQUESTS = RetryPolicy(deadline=5, timeout=15)


def run(module: Call) -> Outcome:
    """Collect, in a file of root."""
    given = module.parameters
    if module.check:
        asked = ["objects, events and logs of the Kubernetes API"] if given["api_server"] else []
        nothing = {"file": "", "size": 0, "count": 0, "missing": 0, "asked_api": False}
        return Outcome(values={**nothing, "would": [*planned(), *asked]})
    directory = _directory()
    descriptor, path = tempfile.mkstemp(dir=directory, suffix=".tar.gz")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            archive = Archive(stream, Redaction(), limit=given["size_limit"])
            HostDump(archive, HostLimits(given["log_bytes"], given["node_timeout"], given["namespaces"])).collect()
            nodes = _ask(archive, given) if given["api_server"] else None
            index = {"missing": archive.missing, "removed": dict(archive.removed), "nodes": nodes or []}
            archive.close(index)
    except OSError as error:
        os.unlink(path)
        raise KopsError(f"{path} cannot be written: {error.strerror or error}") from error
    values = {"count": len(archive.files) - 1, "missing": len(archive.missing), "asked_api": nodes is not None}
    return Outcome(values={"file": path, "size": os.path.getsize(path), **values})


def _directory() -> str:
    """An empty directory for the archive, where the most space is. What interrupted runs have left there goes.

    Raises KopsError if none can be made.
    """
    for place in PLACES:
        shutil.rmtree(place, ignore_errors=True)
    for place in sorted(PLACES, key=lambda place: shutil.disk_usage(os.path.dirname(place)).free, reverse=True):
        try:
            os.mkdir(place, mode=0o700)
        except OSError:
            continue
        return place
    raise KopsError(f"none of the directories {', '.join(PLACES)} can be made")


def _ask(archive: Archive, given: dict[str, Any]) -> list[dict[str, Any]] | None:
    """What became of the nodes; None if no API server answers."""
    limits = ClusterLimits(
        given["log_bytes"],
        given["node_timeout"],
        given["namespaces"],
        given["nodes"],
        given["max_nodes"],
        given["objects"],
    )
    why: list[str] = []
    for address in ("", *given["api_addresses"]):
        try:
            client = KubernetesClient.from_kubeconfig(address=address, retry=_REQUESTS)
            client.text("/readyz")
            asked = ClusterDump(archive, client, limits)
            asked.collect()
            return [node.plain() for node in asked.nodes]
        except KopsError as error:
            why.append(str(error))
    archive.miss("cluster", "; ".join(dict.fromkeys(why)))
    return None


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
