# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers of a cloud that adds something of its own; what AWS adds is in aws/test_controllers.py."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.controllers import Wanted
from ansible_collections.kubeops.kops.plugins.module_utils.model import controllers


def wanted(context, **more):
    controllers.build(context, more.get("labels", lambda group: {}), more.get("rights", lambda: ("", "")))
    return Wanted.read(context.tasks["ManagedFile/controllers"].contents.encode())


def test_labels_of_a_cloud_are_added_and_do_not_win(context_of):
    found = wanted(context_of(), labels=lambda group: {"tier": group.metadata.name, "kops.k8s.io/instancegroup": "x"})
    assert found.labels["nodes"]["tier"] == "nodes"
    assert found.labels["nodes"]["kops.k8s.io/instancegroup"] == "nodes"


def test_rights_are_those_that_the_cloud_names(context_of):
    public = {"networking.topology.dns": "Public", "dnsZone": "example.com", "api.publicName": "api.demo.example.com"}
    found = wanted(context_of(public), rights=lambda: ("a role", "an account"))
    assert found.records
    assert (found.zone, found.role, found.account) == ("example.com", "a role", "an account")


def test_rights_are_asked_only_for_records(context_of):
    def rights():
        pytest.fail("there are no records")

    found = wanted(context_of({"networking.topology.dns": "None"}), rights=rights)
    assert (found.records, found.zone, found.role) == ((), "", "")
