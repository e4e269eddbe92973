# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of objects that a cluster has in OpenStack: in which service they are, and how they are listed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind.

    word: what users call it. service, listing: names of openstacksdk, of the service and of the method that lists.
    collection: the path below the service's endpoint. key: what a request has its properties under; "" for nothing.
    by_project: whether lists can be limited to a project; others show what the login sees.
    microversion: of the service, for what is asked of it; "" is its first.
    """

    word: str
    service: str
    listing: str
    collection: str
    key: str
    by_project: bool = False
    microversion: str = ""


def application_credential(user: str) -> Kind:
    """Those of a user, by the user's id."""
    path = f"/users/{user}/application_credentials"
    return Kind(APPLICATION_CREDENTIAL, "identity", "application_credentials", path, "application_credential")


def access_rule(user: str) -> Kind:
    """Those of application credentials of a user, by the user's id."""
    return Kind(ACCESS_RULE, "identity", "access_rules", f"/users/{user}/access_rules", "access_rule")


def record_set(zone: str) -> Kind:
    """Those of a zone of Designate, by the zone's id."""
    return Kind(RECORD_SET, "dns", "recordsets", f"/zones/{zone}/recordsets", "")


APPLICATION_CREDENTIAL, ACCESS_RULE, RECORD_SET = "application credential", "access rule", "record"
_BALANCER = "load_balancer"
# Others may lend theirs, so that all are listed that the login sees.
NETWORK = Kind("network", "network", "networks", "/networks", "network")
SUBNET = Kind("subnet", "network", "subnets", "/subnets", "subnet")
ROUTER = Kind("router", "network", "routers", "/routers", "router", by_project=True)
PORT = Kind("port", "network", "ports", "/ports", "port", by_project=True)
SECURITY_GROUP = Kind(
    "security group", "network", "security_groups", "/security-groups", "security_group", by_project=True
)
SECURITY_GROUP_RULE = Kind(
    "security group rule", "network", "security_group_rules", "/security-group-rules", "security_group_rule"
)
FLOATING_IP = Kind("floating IP", "network", "ips", "/floatingips", "floatingip", by_project=True)
# Those of the user, whatever the project is.
KEYPAIR = Kind("key pair", "compute", "keypairs", "/os-keypairs", "keypair")
# The first microversion with soft policies; from 2.64 on, a group has one policy.
SERVER = Kind("server", "compute", "servers", "/servers", "server")
SERVER_GROUP = Kind(
    "server group", "compute", "server_groups", "/os-server-groups", "server_group", microversion="2.15"
)
VOLUME = Kind("volume", "block_storage", "volumes", "/volumes", "volume")
BALANCER = Kind("load balancer", _BALANCER, "load_balancers", "/lbaas/loadbalancers", "loadbalancer", by_project=True)
LISTENER = Kind("listener", _BALANCER, "listeners", "/lbaas/listeners", "listener", by_project=True)
POOL = Kind("pool", _BALANCER, "pools", "/lbaas/pools", "pool", by_project=True)
# Listed of one pool.
MEMBER = Kind("member", _BALANCER, "members", POOL.collection, "member")
MONITOR = Kind(
    "health monitor", _BALANCER, "health_monitors", "/lbaas/healthmonitors", "healthmonitor", by_project=True
)
