# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys of the store the nodes of a group use: what user data says of them, without the keys.

So a step of a rotation changes user data, and a rolling update finds the instances that were started before (kops has
hashes of its own for that). It also says later what an instance was started with.
"""

from __future__ import annotations

import json
from typing import Any

from ..api.instance_group import InstanceGroup
from ..cloud.tasks.keypair import Keypair
from ..cloud.tasks.secret import Secret
from ..engine.task import Task
from ..exchange.items import KUBERNETES_CA
from ..node.keys.secrets_document import certificates_of, stored_references
from ..statestore.secrets import ENCRYPTION_CONFIG
from . import node_configs
from .context import ModelContext

# A hash of this one tells nothing, as it holds random keys; one of logins would help to guess them.
_SECRETS = frozenset({ENCRYPTION_CONFIG})


def needs(context: ModelContext, group: InstanceGroup) -> list[Task[Any]]:
    """What has to be in the store before it is known."""
    keysets, secrets = _used(context, group)
    found = [context.tasks.get(f"{Keypair.__name__}/{name}") for name in keysets]
    found += [context.tasks.get(f"{Secret.__name__}/{name}") for name in secrets]
    return [task for task in found if task is not None]


def identities(context: ModelContext, group: InstanceGroup) -> dict[str, Any]:
    """keysets: name -> ids of the key pairs that are not distrusted, the primary first. secrets: name -> SHA-256."""
    keysets, secrets = _used(context, group)
    hashes = {name: context.secret_hash(name) for name in secrets}
    return {
        "keysets": {name: context.key_pairs(name) for name in keysets},
        **({"secrets": hashes} if hashes else {}),
    }


def _used(context: ModelContext, group: InstanceGroup) -> tuple[list[str], list[str]]:
    """The names of keysets and secrets to which the NodeConfigs of a group refer."""
    configs = [json.loads(file.data) for file in node_configs.stored(context, group).values()]
    references = [each.partition("/") for config in configs for each in stored_references(config)]
    keysets = {KUBERNETES_CA if kind == "webhook" else name for kind, _slash, name in references if kind != "secret"}
    issued = [each for config in configs for each in certificates_of(config)]
    keysets |= {each.signer for each in issued}
    keysets |= {KUBERNETES_CA for each in issued if each.kind == "kubeconfig"}
    secrets = {name for kind, _slash, name in references if kind == "secret" and name in _SECRETS}
    return sorted(keysets), sorted(secrets)
