# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of a cluster's instances: what node/cloud/instances.py promises, as functions that each must pass.

A cloud takes part by a Party: a fake of it, with an empty cluster.
"""

from __future__ import annotations

from typing import Protocol

from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.instances import CloudInstances

SERVER, WORKER = "ControlPlane", "Node"


class Party(Protocol):
    """One cluster. group: of the workers."""

    group: str

    def instances(self) -> CloudInstances:
        """As a controller asks for them."""

    def start(self, role: str, *, foreign: bool = False) -> str:
        """Start an instance of a role; gives its id. foreign: of another cluster."""

    def end(self, instance: str) -> None:
        """Terminate an instance; the cloud may know it for a while."""


def all_are_those_of_the_cluster(party: Party) -> None:
    server, worker = party.start(SERVER), party.start(WORKER)
    party.start(WORKER, foreign=True)
    found = party.instances().all()
    assert found.keys() == {server, worker}
    assert all(each.id == name and each.runs and not each.is_terminated for name, each in found.items())
    assert all(each.internal for each in found.values())
    assert (found[server].role, found[worker].role, found[worker].group) == (SERVER, "", party.group)


def servers_serve_the_api(party: Party) -> None:
    party.start(WORKER)
    server = party.start(SERVER)
    party.start(SERVER, foreign=True)
    assert party.instances().servers().keys() == {server}


def what_exists_is_of_any_cluster(party: Party) -> None:
    own, other = party.start(WORKER), party.start(WORKER, foreign=True)
    unknown = own[:-1] + ("0" if own[-1] != "0" else "1")
    assert party.instances().existing([own, other, unknown]) == {own, other}
    assert party.instances().existing([]) == set()


def what_has_ended_runs_no_more(party: Party) -> None:
    gone, left = party.start(WORKER), party.start(WORKER)
    party.end(gone)
    found = party.instances().all()
    assert found[left].runs
    assert gone not in found or not found[gone].runs


def ids_are_known_by_their_form(party: Party) -> None:
    ids, own = party.instances().ids, party.start(WORKER)
    assert ids.is_id(own)
    assert not ids.is_id("")
    assert ids.id_in(ids.provider_id(own, "zone")) == own


CHECKS = (
    all_are_those_of_the_cluster,
    servers_serve_the_api,
    what_exists_is_of_any_cluster,
    what_has_ended_runs_no_more,
    ids_are_known_by_their_form,
)
