# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How control planes reach the API of Hetzner and the state store: the controller gives them credentials over SSH."""

from __future__ import annotations

import os

from ...cloud.hetzner import credentials
from ...cloud.tasks.secret import Secret
from ...exchange.server_credentials import NONCE_PLACEHOLDER, NONCE_VARIABLE
from ...statestore.secrets import SERVER_KEY
from ..context import ModelContext

# Of the programs of Hetzner; it is set where the API is elsewhere, as in tests.
_ENDPOINT = "HCLOUD_ENDPOINT"


def build(context: ModelContext) -> None:
    """The key by which servers prove who they are, and what control planes are told in their user data.

    Raises KopsError if the controller lacks what control planes are given.
    """
    if context.updates_api_servers:
        credentials.document()
    context.add(Secret(SERVER_KEY, context.layers.security, base=context.secret_base))
    passed_on = {name: os.environ[name] for name in (_ENDPOINT,) if os.environ.get(name)}
    context.environment = {NONCE_VARIABLE: NONCE_PLACEHOLDER, **passed_on}


def key_of(context: ModelContext) -> Secret:
    """The key, once it is built."""
    return context.get(Secret, SERVER_KEY)
