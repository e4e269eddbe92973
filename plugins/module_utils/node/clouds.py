# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud that a node runs in: node/<name of the cloud>/cloud.py, which is imported when it is asked for.

There is no list of clouds here, because each cloud has a node program of its own (model/node/program/program.py). A
list would change the programs of all clouds with every new one.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection
from typing import Protocol, cast

from ..base.errors import ConfigError
from .cloud.identity import Verifier
from .cloud.instance import Instance


class NodeCloud(Protocol):
    """The functions of a cloud's cloud.py: the module itself is what nodes use."""

    def this_instance(self) -> Instance:
        """The instance that the process runs on."""

    def verifier(self, cluster: str, roles: Collection[str], *, named_by_address: bool) -> Verifier:
        """Knows the instances of a cluster by their roles."""


def this_instance(cloud: str) -> Instance:
    """The instance that the process runs on. Raises ConfigError if this program has no code for the cloud."""
    return _module(cloud).this_instance()


def verifier(cloud: str, cluster: str, roles: Collection[str], *, named_by_address: bool = False) -> Verifier:
    """Knows the instances of a cluster by their roles, on a control plane of it. Raises ConfigError as above.

    named_by_address: whether nodes have the names that the cloud makes of their addresses.
    """
    return _module(cloud).verifier(cluster, roles, named_by_address=named_by_address)


def _module(cloud: str) -> NodeCloud:
    name = f"{__package__}.{cloud}.cloud"
    try:
        return cast(NodeCloud, importlib.import_module(name))
    except ModuleNotFoundError as error:
        if not name.startswith(error.name or name):
            # The module is there, and something that it imports is not.
            raise
        raise ConfigError([f"this program has no code for instances of the cloud {cloud!r}"]) from None
