# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of Kubernetes that run in a cluster of a cloud, and deprecated APIs in use. It only reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...kubernetes import running_versions
from ...kubernetes.connection import RetryPolicy
from ...kubernetes.deprecated import deprecated_in, started_at
from ...kubernetes.running_versions import RunningVersions
from ...statestore.store import ClusterStore
from ..status.validation import CloudExpectation, CloudValidator
from .workers import given_to_workers

_REQUESTS = RetryPolicy(deadline=20)
_ROLES = ("ControlPlane", "APIServer")
# A load balancer may lead to the same API server again.
_TRIES = 2


def ask(state_store: str, name: str, api_server: str = "") -> RunningVersions:
    """The versions that run. What cannot be known is not guessed."""
    try:
        return _versions(CloudValidator.open(CloudExpectation(state_store, name, api_server=api_server)))
    except KopsError as error:
        return RunningVersions(unknown=f"it is not known what the API servers run: {error}")


@dataclass(frozen=True)
class Found:
    """running: None if nothing runs yet. given: the version that workers got last. deprecated: see deprecated_in()."""

    running: RunningVersions | None = None
    given: str = ""
    deprecated: Mapping[str, str] = field(default_factory=dict)


def before_upgrade(state_store: str, name: str, api_server: str = "") -> Found:
    """What has to be known of a cluster before it is upgraded; nothing is known of hosts of an inventory."""
    store = ClusterStore.open(state_store, name)
    completed = store.completed()
    if completed is None or not cloud_of(completed).starts_nodes:
        return Found()
    running, deprecated = _ask_more(state_store, name, api_server)
    return Found(running, given_to_workers(completed), deprecated)


def _ask_more(state_store: str, name: str, api_server: str = "") -> tuple[RunningVersions, dict[str, str]]:
    """The versions, and the deprecated APIs as deprecated_in() gives them, of as many API servers as answer."""
    try:
        validator = CloudValidator.open(CloudExpectation(state_store, name, api_server=api_server))
        found = _versions(validator)
        deprecated: dict[str, str] = {}
        asked: set[str] = set()
        for _try in range(_TRIES * len(found.servers)):
            metrics = validator.client(_REQUESTS).text("/metrics")
            asked.add(started_at(metrics))
            deprecated.update(deprecated_in(metrics))
            if len(asked) >= len(found.servers):
                break
    except KopsError as error:
        return RunningVersions(unknown=f"it is not known what the API servers run: {error}"), {}
    return found, deprecated


def _versions(validator: CloudValidator) -> RunningVersions:
    instances = validator.instances()
    roles = {group.name: group.role for group in validator.groups}
    machines = [each for group, found in instances.items() if roles.get(group) in _ROLES for each in found.machines]
    names = {name for each in machines for name in (each.name, each.by_address)}
    # The label comes a moment after the node.
    found = running_versions.running_versions(validator.client(_REQUESTS), names)
    strangers = [each.name for each in machines if not {each.name, each.by_address} & found.servers.keys()]
    if not strangers:
        return found
    return replace(
        found, unknown=f"it is not known what these instances run, which are no nodes yet: {', '.join(strangers)}"
    )
