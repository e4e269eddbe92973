# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clouds whose instances become nodes by themselves: the only place that knows all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..base.errors import ConfigError
from .aws.instance import CLOUD as AWS
from .aws.instance import AWSInstance
from .aws.verification import AWSVerifier
from .boot.instance import Instance
from .bootstrap.verdicts import Verifier

_INSTANCES: dict[str, Callable[[], Instance]] = {AWS: AWSInstance}
_VERIFIERS: dict[str, Callable[[str, Collection[str], bool], Verifier]] = {AWS: AWSVerifier.here}


def this_instance(cloud: str) -> Instance:
    """The instance that the process runs on. Raises ConfigError for a cloud that has none yet."""
    if cloud not in _INSTANCES:
        raise ConfigError([f"instances of {cloud} cannot become nodes by themselves yet; {', '.join(_INSTANCES)} can"])
    return _INSTANCES[cloud]()


def verifier(cloud: str, cluster: str, roles: Collection[str], *, named_by_address: bool = False) -> Verifier:
    """What tells the instances of a cluster by their roles, on a control plane of it. Raises ConfigError as above.

    named_by_address: whether nodes have the names that the cloud makes of their addresses.
    """
    if cloud not in _VERIFIERS:
        raise ConfigError([f"instances of {cloud} cannot be told by a bootstrap server; {', '.join(_VERIFIERS)} can"])
    return _VERIFIERS[cloud](cluster, roles, named_by_address)
