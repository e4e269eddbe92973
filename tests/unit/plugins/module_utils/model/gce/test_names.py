# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and labels in Google Cloud."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.zones import zonal_group_name
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.gce import labels, names

LONG = "minimal-gce-with-a-very-very-very-very-very-long-name.example.com"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (names.suffixed("api", "demo.example.com"), "api-demo-example-com"),
        (names.suffixed("api", LONG), "api-minimal-gce-with-a-very-very-very-very-very-long-nam-96dqvi"),
        (names.network(LONG), "minimal-gce-with-a-very-very-very-very-very-long-name-ex-96dqvi"),
        (names.instance_template("nodes", "demo.example.com"), "nodes-demo-example-com"),
        (
            names.template_prefix("master-us-test1-a", "minimal-gce-plb-apiserver.example.com"),
            "master-us-test1-a-minimal-uuumd3",
        ),
        (zonal_group_name("nodes", "us-east1-b", "demo.example.com"), "b-nodes-demo-example-com"),
        (names.service_account_id("control-plane", "minimal.example.com"), "control-plane-minimal-e-rabo9p"),
        (names.etcd_disk("a", "main", "demo.example.com"), "a-etcd-main-demo-example-com"),
        (names.etcd_disk("1", "main", "demo.example.com"), "d1-etcd-main-demo-example-com"),
    ],
)
def test_names_are_those_of_kops(given, wanted):
    assert given == wanted
    assert "." not in given


def test_name_that_leaves_the_cluster_no_room_is_refused():
    with pytest.raises(KopsError, match="leaves it 52 characters"):
        names.suffixed("x" * 53, "demo.example.com")


def test_labels_have_no_character_that_google_refuses():
    assert labels.encode("a/a") == "a-2fa"
    assert labels.encode("A_b-1") == "-41-5fb-2d1"
