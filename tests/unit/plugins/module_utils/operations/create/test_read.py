# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options as they are read: empty and missing ones, what the environment says, and all that is refused."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import OPTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.read import read_options
from ansible_collections.kubeops.kops.tests.support.create import BASE


def read(values, environment=None):
    return read_options({**BASE, **values}, (), environment or {})


@pytest.mark.parametrize("empty", [None, "", [], [""]])
def test_empty_means_unset(empty):
    assert read({**dict.fromkeys(OPTIONS, empty), **BASE}) == read({})


def test_false_is_said_where_unset_differs():
    assert read({"associate_public_ip": False}).associate_public_ip is False
    assert read({}).associate_public_ip is None


def test_any_case_of_dns_and_authorization_is_understood():
    options = read({"dns": "Private", "authorization": "alwaysallow"})
    assert (options.dns, options.authorization) == ("private", "AlwaysAllow")


def test_the_environment_names_what_no_option_does():
    environment = {"KOPS_CLUSTER_NAME": "a.example.com", "GOOGLE_CLOUD_PROJECT": "p"}
    asked = {"name": "", "cloud": "gce", "zones": ["us-east1-b"]}
    options = read(asked, environment)
    assert (options.name, options.project) == ("a.example.com", "p")
    assert read({**asked, "project": "mine"}, environment).project == "mine"


def test_all_problems_come_at_once():
    with pytest.raises(ValidationError) as caught:
        read({"cloud_labels": "a", "kubernetes_feature_gates": ["+", "Fine"], "zones": []})
    paths = [error.path for error in caught.value.errors]
    assert sorted(paths) == ["cloud_labels", "kubernetes_feature_gates", "zones"]


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({"name": "", "zones": []}, {"Required::name", "Required::zones"}),
        ({"cloud": "", "state_store": "file:///x"}, {"Required::cloud"}),
        ({"cloud": "", "state_store": "kops-state"}, {"Invalid::state_store"}),
        ({"state_store": "kops-state"}, {"Invalid::state_store"}),
        ({"cloud": "", "state_store": "s4://kops-state"}, {"Invalid::state_store"}),
        ({"cloud": "foo"}, {"NotSupported::cloud"}),
        ({"networking": "foo", "dns": "bar"}, {"NotSupported::networking", "NotSupported::dns"}),
        ({"bastion": True}, {"Forbidden::bastion"}),
        ({"networking": "kubenet", "topology": "private"}, {"Forbidden::networking"}),
        ({"network_cidr": ["10.0.0.0"]}, {"Invalid::network_cidr"}),
        ({"kubernetes_version": "latest"}, {"Invalid::kubernetes_version"}),
        ({"kubernetes_feature_gates": ["+"]}, {"Invalid::kubernetes_feature_gates"}),
        ({"set": ["foo"]}, {"Invalid::set"}),
        ({"instance_manager": "karpenter"}, {"Required::discovery_store"}),
        ({"api_server_count": 1}, {"Forbidden::api_server_count"}),
        ({"cloud": "hetzner", "zones": ["fsn1", "nbg1"]}, {"Invalid::zones"}),
        ({"cloud": "gce", "zones": ["us-east1"], "project": "p"}, {"Invalid::zones"}),
        ({"cloud": "azure", "zones": ["eastus-1-2"]}, {"Invalid::zones"}),
        (
            {"control_plane_zones": ["us-east-1a", "us-east-1b", "us-east-1c"], "control_plane_count": 1},
            {"Invalid::control_plane_count"},
        ),
        ({"node_count": -1}, {"Invalid::node_count"}),
        ({"add": ["x.yaml"]}, {"Forbidden::add"}),
    ],
)
def test_refused(values, fields):
    with pytest.raises(ValidationError) as caught:
        read_options({**BASE, **values}, (), {})
    assert {f"{error.type}::{error.path}" for error in caught.value.errors} == fields


def test_an_option_of_a_field_of_instance_groups_names_the_field():
    with pytest.raises(ValidationError) as caught:
        read({"node_tenancy": "dedicate"})
    assert "node_tenancy: spec.tenancy: must be one of default, dedicated, host" in str(caught.value)
    # As kops names it.
    assert [f"{error.type}::{error.path}" for error in caught.value.errors] == ["NotSupported::spec.tenancy"]
