# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How machines reach what they need: control planes vCenter and the state store, and workers the control planes."""

from __future__ import annotations

import base64

from ...cloud.tasks.secret import Secret
from ...cloud.vsphere import credentials, names
from ...exchange.server_credentials import NONCE_PLACEHOLDER, NONCE_VARIABLE
from ...statestore.secrets import SERVER_KEY
from ..context import ModelContext, ServerAddresses
from .spec import account_of, spec


def build(context: ModelContext) -> None:
    """The key by which machines prove who they are, and what control planes are told in their user data.

    Raises KopsError if the controller lacks what control planes are given.
    """
    if context.updates_api_servers:
        credentials.document()
    context.add(Secret(SERVER_KEY, context.layers.security, base=context.secret_base))
    given, account = spec(context), account_of(context)
    folder = account.folder(given.folder or "")
    # It stays where it is: control planes come and go, and their addresses with them.
    address = str(context.cluster.spec.api.public_name)
    context.server_addresses = ServerAddresses([], lambda: [address])
    if context.cluster.spec.api.load_balancer is None:
        context.virtual_address = address
    context.environment = {
        NONCE_VARIABLE: NONCE_PLACEHOLDER,
        "VSPHERE_SERVER": given.server or account.server(),
        "VSPHERE_FOLDER": f"{folder}/{names.folder(context.name)}",
        # No machine's own: who holds it says it, too.
        **({"VSPHERE_API_ADDRESS": address} if context.virtual_address else {}),
        **({"VSPHERE_THUMBPRINT": given.thumbprint} if given.thumbprint else {}),
        **({"VSPHERE_ALLOW_UNVERIFIED_SSL": "true"} if given.insecure_skip_verify else {}),
        **({"VSPHERE_CA": _on_one_line(given.ca_certificate)} if given.ca_certificate else {}),
    }


def key_of(context: ModelContext) -> Secret:
    """The key, once it is built."""
    return context.get(Secret, SERVER_KEY)


def _on_one_line(certificate: str) -> str:
    return base64.b64encode(certificate.encode()).decode()
