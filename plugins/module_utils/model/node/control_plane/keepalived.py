# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""keepalived: one of the control planes whose API server is ready holds the virtual address of the API (VRRP)."""

from __future__ import annotations

import zlib

from ..context import CA_FILE, INTERFACE, LOOPBACK, NodeContext
from ..draft import Draft, on
from ..systemd import unit_text
from . import kube_apiserver

UNIT = "keepalived.service"
CONFIGURATION = "/etc/keepalived/keepalived.conf"
# Where SELinux lets keepalived run anything.
READY = "/usr/libexec/keepalived/kube-apiserver-ready"
_ROUTERS = 255
# Version 3 of VRRP is the one without passwords, which would go over the network as plain text, and that has IPv6. All
# have the same priority, and a ready holder keeps the address.
_CONFIGURATION = """global_defs {{
  enable_script_security
  script_user root
  vrrp_version 3
}}

vrrp_script kube_apiserver {{
  script "{ready}"
  interval 2
  timeout 5
  fall 2
  rise 2
  init_fail
}}

vrrp_instance kubernetes_api {{
  state BACKUP
  nopreempt
  interface {interface}
  virtual_router_id {router}
  priority 100
  advert_int 1
  virtual_ipaddress {{
    {address}
  }}
  track_script {{
    kube_apiserver
  }}
}}
"""
_SERVICE = {
    "Unit": [
        ("Description", "Virtual Address of the Kubernetes API"),
        ("Documentation", "man:keepalived.conf(5)"),
        ("Wants", "network-online.target"),
        ("After", "network-online.target"),
    ],
    "Service": [
        ("ExecStart", f"/usr/sbin/keepalived --dont-fork --use-file={CONFIGURATION}"),
        ("KillMode", "mixed"),
        ("Restart", "always"),
        ("RestartSec", "2s"),
    ],
    "Install": [("WantedBy", "multi-user.target")],
}


def build(context: NodeContext, draft: Draft) -> None:
    """Nothing unless the cluster has a virtual address."""
    if not context.virtual_address:
        return
    draft.package("keepalived")
    # The other families have one that conflicts with the package of that name, and have it anyway.
    draft.package("curl", when=on(family="debian"))
    draft.file(READY, f"#!/bin/sh\nexec {' '.join(_question(context))}\n", "0755")
    draft.file(CONFIGURATION, _configuration(context))
    # In place of the distribution's unit, so that this one goes and that one is what it was when the node leaves.
    draft.unit(UNIT, unit_text(_SERVICE))


def router_id(cluster: str) -> int:
    """1 to 255, by which the routers of a virtual address know each other in their network: from the cluster's name."""
    return zlib.crc32(cluster.encode()) % _ROUTERS + 1


def _configuration(context: NodeContext) -> str:
    return _CONFIGURATION.format(
        ready=READY, interface=INTERFACE, router=router_id(context.name), address=context.virtual_address
    )


def _question(context: NodeContext) -> list[str]:
    """The command by which the API server next door is asked whether it is ready."""
    client = f"{kube_apiserver.DIRECTORY}/{kube_apiserver.KUBELET_CLIENT}"
    return [
        *("curl", "--silent", "--fail", "--output", "/dev/null", "--max-time", "4", "--noproxy", LOOPBACK),
        *("--cacert", CA_FILE, "--cert", f"{client}.crt", "--key", f"{client}.key"),
        f"https://{LOOPBACK}:{kube_apiserver.port(context)}/readyz",
    ]
