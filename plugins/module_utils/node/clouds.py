# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud that a node runs in: node/<name of the cloud>/cloud.py, which is imported when it is asked for.

There is no list of clouds here, because each cloud has a node program of its own (model/node/program/program.py). A
list would change the programs of all clouds with every new one.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from ..base.errors import ConfigError
from .cloud.identity import Verifier
from .cloud.instance import Instance


class NodeCloud(Protocol):
    """The functions of a cloud's cloud.py: the module itself is what nodes use."""

    def this_instance(self) -> Instance:
        """The instance that the process runs on."""

    def verifier(self, cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> Verifier:
        """Knows the workers of a cluster. Raises ConfigError if workers does not say how."""


def this_instance(cloud: str) -> Instance:
    """The instance that the process runs on. Raises ConfigError if this program has no code for the cloud."""
    return _module(cloud).this_instance()


def verifier(cloud: str, cluster: str, workers: Mapping[str, Any], *, named_by_address: bool = False) -> Verifier:
    """Knows the workers of a cluster, on a control plane of it. Raises ConfigError as above.

    workers: by what their instances prove which group they are of, as the cloud's model says.
    named_by_address: whether nodes have the names that the cloud makes of their addresses.
    """
    return _module(cloud).verifier(cluster, workers, named_by_address=named_by_address)


def _module(cloud: str) -> NodeCloud:
    name = f"{__package__}.{cloud}.cloud"
    try:
        return cast(NodeCloud, importlib.import_module(name))
    except ModuleNotFoundError as error:
        if not name.startswith(error.name or name):
            # The module is there, and something that it imports is not.
            raise
        raise ConfigError([f"this program has no code for instances of the cloud {cloud!r}"]) from None
