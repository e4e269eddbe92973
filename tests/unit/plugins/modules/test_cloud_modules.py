# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""create_cluster, update_cluster, delete_cluster and assets_info, as far as they come without a cloud.

What they do in one, tests/integration shows.
"""

from __future__ import annotations

import pytest

NAME = "demo.example.com"
NO_CLUSTER = f"there is no cluster {NAME} in the state store"


@pytest.fixture(autouse=True)
def no_cloud(ansible) -> None:
    """An environment in which asking a cloud is an error at once."""
    ansible.environment |= {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_ACCESS_KEY_ID": "",
    }


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        ("update_cluster", {}, NO_CLUSTER),
        ("update_cluster", {"plan_id": "", "phase": "", "target": "terraform", "out": "/nowhere"}, NO_CLUSTER),
        (
            "update_cluster",
            {"target": "terraform", "out": ""},
            "target is terraform but all of the following are missing: out",
        ),
        ("update_cluster", {"manifest": "kind: Cluster"}, "manifest, document 1: apiVersion is missing"),
        ("update_cluster", {"state_store": "", "name": "other.example.com"}, "no cluster other.example.com in the"),
        ("assets_info", {}, NO_CLUSTER),
        ("delete_cluster", {"external": True, "region": ""}, "external needs region"),
        ("create_cluster", {"zones": []}, "zones: "),
        ("create_cluster", {"zones": ["us-east-1a"], "cloud": "aws"}, "no AWS credentials were found"),
    ],
)
def test_what_is_refused(ansible, tree, module: str, arguments: dict, message: str) -> None:
    for check in (False, True):
        result = ansible.run(module, check=check, **arguments)
        assert result.get("failed"), result
        assert message in result["msg"]
    assert tree() == {}


def test_all_problems_of_the_options_at_once(ansible, tree) -> None:
    assert "cloud_labels: 'x' is not of the form key=value" in ansible.fails("create_cluster", cloud_labels="x")
    message = ansible.fails("create_cluster", zones="somewhere", networking="carrier-pigeon", cloud="aws", bastion=True)
    for option in ("zones: ", "networking: ", "bastion: "):
        assert f"\n- {option}" in message
    assert tree() == {}


@pytest.mark.parametrize("module", ["create_cluster", "update_cluster", "delete_cluster", "assets_info"])
def test_neither_store_nor_name(ansible, module: str) -> None:
    needed = {"zones": ["us-east-1a"], "cloud": "aws"} if module == "create_cluster" else {}
    ansible.environment["KOPS_CLUSTER_NAME"] = ""
    assert "KOPS_CLUSTER_NAME" in ansible.fails(module, name="", **needed)
    ansible.environment |= {"KOPS_CLUSTER_NAME": NAME, "KOPS_STATE_STORE": ""}
    assert "KOPS_STATE_STORE" in ansible.fails(module, state_store="", **needed)


def test_deleting_what_is_not_there(ansible, tree) -> None:
    for check in (True, False):
        result = ansible("delete_cluster", check=check)
        assert (result["changed"], result["plan"]) == (False, [])
    assert tree() == {}


def test_empty_text_is_not_given_whatever_the_type(ansible, tree) -> None:
    given = dict.fromkeys(["state_store", "name", "lease_wait", "break_lease", "prune", "phase", "target", "out"], "")
    assert NO_CLUSTER in ansible.fails("update_cluster", **given, lifecycle_overrides="", plan_id="")
    given = dict.fromkeys(["state_store", "name", "unregister", "external", "region", "wait", "lease_wait"], "")
    assert not ansible("delete_cluster", **given)["changed"]
    assert "missing required arguments: keyset" in ansible.fails("keypair", keyset="")
    assert tree() == {}
