# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes read in the state store: a NodeConfig for each group and architecture, and the program for it.

Each has the hash of its content in its name: what an instance was started with stays, whatever later updates store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..api.clouds import cloud_of
from ..api.instance_group import InstanceGroup
from ..api.validation.entry import raise_for
from ..base.errors import FieldError, ValidationError
from ..cloud.tasks.managed_file import ContentAddressedFile
from ..completion.group_defaults import machine_architectures
from ..exchange.document import content_hash, render
from ..exchange.store_places import node_config_of, program_of
from .context import ModelContext, role_directory
from .node.build import node_config
from .node.context import NodeContext
from .node.files.assets import file_assets
from .node.program.program import node_program
from .node.program.stores import schemes_of

PROGRAM = "node-program"


def _no_pool(_group: InstanceGroup) -> Mapping[str, Any]:
    return {}


def build(
    context: ModelContext,
    warm_pool: Callable[[InstanceGroup], Mapping[str, Any]] = _no_pool,
    workers: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """The NodeConfigs of the groups that are updated, and the program; bastions are no nodes.

    warm_pool: gives what a NodeConfig says of its group's warm pool; nothing for a group without one.
    workers: by what the cloud's instances prove to bootstrap servers which group they are of.
    Raises ValidationError for all that nodes would refuse.
    """
    groups = [group for group in context.updated_groups if group.spec.role != "Bastion"]
    used = {str(group.metadata.name): architectures(context, group) for group in groups}
    together = sorted({architecture for names in used.values() for architecture in names})
    clusters = [context.cluster, *([context.workers.cluster] if context.workers else [])]
    named = {id(cluster): [file for name in together for file in file_assets(cluster, name)] for cluster in clusters}
    files = {identity: context.stored.with_checksums(found) for identity, found in named.items()}
    common = NodeContext(
        context.cluster,
        context.groups[0],
        secret_names=context.stored.secret_names,
        features=context.features,
        region=context.region,
        workers=workers,
        virtual_address=context.virtual_address,
    )
    refused: dict[FieldError, None] = {}
    for group in groups:
        # The scheduler's configuration is the only one of these that nodes get.
        pool = warm_pool(group)
        additional = context.stored.additional_objects() if group.spec.role == "ControlPlane" else []
        cluster, seen = context.seen_by(group)
        for architecture in used[str(group.metadata.name)]:
            own = [file for file in files[id(cluster)] if file.architecture == architecture]
            made = replace(
                common,
                cluster=cluster,
                group=seen,
                architecture=architecture,
                files=own,
                additional_objects=additional,
                warm_pool=pool,
            )
            try:
                content = render(node_config(made)).encode()
            except ValidationError as error:
                refused.update(dict.fromkeys(error.errors))
                continue
            place = node_config_of(role_directory(group), str(group.metadata.name), content_hash(content))
            _add(context, _name(group, architecture), place, content)
    raise_for(list(refused), f"cluster {context.name}")
    program = node_program(cloud_of(context.cluster), schemes_of(context.cluster))
    _add(context, PROGRAM, program_of(content_hash(program)), program)


def architectures(context: ModelContext, group: InstanceGroup) -> list[str]:
    """The architectures that machines of a group may have."""
    return machine_architectures(context.cluster, group, facts=context.facts)


def stored(context: ModelContext, group: InstanceGroup) -> dict[str, ContentAddressedFile]:
    """The NodeConfigs of a group by architecture, as they are stored."""
    return {name: context.get(ContentAddressedFile, _name(group, name)) for name in architectures(context, group)}


def certificates(context: ModelContext, group: InstanceGroup) -> list[str]:
    """The names of the certificates that nodes of a group get, whatever their architecture."""
    configs = [json.loads(file.data) for file in stored(context, group).values()]
    return sorted({certificate["name"] for config in configs for certificate in config.get("certificates", ())})


def stored_program(context: ModelContext) -> ContentAddressedFile:
    """The program, as it is stored."""
    return context.get(ContentAddressedFile, PROGRAM)


def _add(context: ModelContext, name: str, location: str, content: bytes) -> None:
    context.add(
        ContentAddressedFile(
            name,
            context.layers.cluster,
            base=context.store_base,
            location=location,
            contents=content,
        )
    )


def _name(group: InstanceGroup, architecture: str) -> str:
    return f"nodeconfig-{group.metadata.name}-{architecture}"
