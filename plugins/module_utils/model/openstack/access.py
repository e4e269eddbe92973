# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How nodes reach what they need: control planes OpenStack and the state store, and workers the bootstrap servers."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from ...cloud.openstack import access_rules
from ...cloud.openstack.tasks.application_credential import ApplicationCredential
from ...cloud.openstack.tasks.port import Port
from ..context import ModelContext, ServerAddresses
from . import server_groups
from .spec import account_of

_AUTH_URL, _REGION = "OS_AUTH_URL", "OS_REGION_NAME"


def build(context: ModelContext) -> None:
    """The application credential of the cluster, and what control planes are told of the login beside it."""
    rules = _rules(context)
    context.add(ApplicationCredential(context.name, context.layers.security, base=context.secret_base, rules=rules))
    url, region = account_of(context).login()
    context.environment = {_AUTH_URL: url, **({_REGION: region} if region else {})}


def _rules(context: ModelContext) -> list[str]:
    """What the credential has to allow. Control planes read the parts of the store, and write beside etcd's backups."""
    written = [etcd.backups.backup_store for etcd in context.cluster.spec.etcd_clusters if etcd.backups]
    read = [context.store_base, context.keypair_base, context.secret_base, *written]
    types = account_of(context).types()
    return access_rules.rules(types, read=read, written=written, with_names=context.publishes_dns_records)


def build_addresses(context: ModelContext) -> None:
    """Nodes find the bootstrap servers, and the API, at the ports of control planes, which keep their addresses."""
    ports = [port for group in context.groups_of("ControlPlane") for port in server_groups.ports_of(context, group)]
    found = [context.target.late(_local(port), functools.partial(_address, port)) for port in ports]
    context.server_addresses = ServerAddresses(ports, lambda: [address for find in found for address in find()])


def credential_of(context: ModelContext) -> ApplicationCredential:
    """The application credential of the cluster, once it is built."""
    return context.get(ApplicationCredential, context.name)


def variables(context: ModelContext) -> Mapping[str, str]:
    """What programs in the cluster log in with, as variables of the environment; without id and secret before these
    are there.
    """
    credential = credential_of(context)
    if credential.id is None:
        return context.environment
    return {
        **context.environment,
        "OS_APPLICATION_CREDENTIAL_ID": credential.value["id"],
        "OS_APPLICATION_CREDENTIAL_SECRET": credential.value["secret"],
    }


def _address(port: Port) -> list[str]:
    return [port.fixed_ip] if port.fixed_ip else []


def _local(port: Port) -> str:
    return f"bootstrap_server_address_{port.name}".replace("-", "_")
