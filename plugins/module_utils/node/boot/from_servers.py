# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node gets from the bootstrap servers of its cluster: its NodeConfig, and a secrets document."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ...base.errors import KopsError
from ...exchange.bootstrap import Answer
from ...exchange.document import API_HOSTS, markers
from ...exchange.items import KUBERNETES_CA
from ...kubernetes.connection import read_kubeconfig
from ..boot_file import Settings
from ..bootstrap import client
from ..bootstrap.connection import addresses
from ..cloud.identity import OwnIdentity
from ..keys import issue
from ..keys.secrets_document import Issued, certificates_of, encoded, files_of
from ..system.machine import Machine
from . import node_configs
from .completeness import is_complete
from .given import Given

_KUBECONFIG = "/var/lib/kubelet/kubeconfig"
_AUTHORITY = f"authority/{KUBERNETES_CA}"


def given(settings: Settings, instance: OwnIdentity, machine: Machine, sha256: str) -> Given:
    """One request, or none if the node has been here before and its certificates last. Raises KopsError, OSError."""
    config = node_configs.kept(machine, sha256)
    if config is not None and is_complete(machine, config, sha256):
        return Given(config, facts=_facts(config, settings))
    names = [each.name for each in certificates_of(config)] if config is not None else [*settings.certificates]
    private = client.keys(machine, names)
    public = {name: issue.public_key_of(key) for name, key in private.items()}
    answer = client.bootstrap(
        settings.servers or {}, instance.proof, public, sha256, _present(machine), settings.keysets
    )
    config = node_configs.checked(answer.node_config.encode(), sha256)
    node_configs.keep(machine, sha256, answer.node_config.encode())
    return Given(config, {**answer.secrets, **_files(config, private, answer)}, _facts(config, settings))


def _facts(config: Mapping[str, Any], settings: Settings) -> dict[str, str]:
    """Where the API server is, if the node has to know that without DNS. Raises OSError if nobody knows."""
    servers = settings.servers or {}
    if API_HOSTS not in markers(config):
        return {}
    reasons: list[str] = []
    names = " ".join(servers.get("hostNames") or ())
    lines = [f"{address} {names}" for address in sorted(addresses(servers, reasons))]
    if not lines:
        raise OSError(f"nobody knows where the load balancer of the API is ({'; '.join(reasons)})")
    return {API_HOSTS: "\n".join(lines)}


def _present(machine: Machine) -> str:
    """The certificate by which the kubelet is the node, with its key; "" if it has none yet."""
    try:
        _server, present = read_kubeconfig(machine.path(_KUBECONFIG))
    except KopsError:
        return ""
    return f"{present.certificate}\n{present.key}"


def _files(config: Mapping[str, Any], private: Mapping[str, str], answer: Answer) -> dict[str, str]:
    """What the node's files of certificates, keys and kubeconfigs contain."""
    authorities = base64.b64decode(answer.secrets.get(_AUTHORITY, "")).decode()
    found: dict[str, bytes] = {}
    for certificate in certificates_of(config):
        if certificate.name in private:
            issued = Issued(answer.certificates[certificate.name], private[certificate.name])
            found.update(files_of(certificate, issued, authorities))
    return encoded(found)
