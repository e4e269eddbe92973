# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A running cluster is not taken over by one of the same name in another state store, unless the user names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import load
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.looking import AWSLooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.origin import origin_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account

OTHER = "s3://other-state"
OWNER = f"{STORE}/{NAME}"


def _other(account: Account) -> Account:
    """The same account and the same name, from another state store."""
    account.client("s3").create_bucket(Bucket="other-state")
    account.client("s3").put_bucket_versioning(Bucket="other-state", VersioningConfiguration={"Status": "Enabled"})
    other = Account(account.server)
    other.store = OTHER
    return other


def _stores() -> set[str]:
    cloud = AWSCloud("us-east-1", NAME)
    return {origin_of(text).store for text in AWSLooking().user_data_of_templates(cloud)} - {""}


@pytest.mark.long
def test_a_cluster_of_another_store(account: Account, tmp_path: Path) -> None:
    account.create(zones=["us-east-1a"])
    account.update()
    other = _other(account)
    manifest = other.create(zones=["us-east-1a"], check=True)["manifest"]
    refused = f"there is a cluster {NAME} already.*its nodes are of {OWNER}, not of {OTHER}/{NAME}"
    remedy = f"adopt: {OWNER} "

    def attempts(found: Account) -> list[Callable[[], object]]:
        out = str(tmp_path / "out")
        return [
            *(lambda check=check: found.update(check=check) for check in (True, False)),
            *(lambda check=check: found.update(check=check, target="terraform", out=out) for check in (True, False)),
            lambda: found.update(check=True, adopt=["s3://third-state/" + NAME]),
        ]

    # What the playbook create_cluster does: the specification is stored by the update.
    with account.server.recorded() as calls:
        for check in (True, False):
            with pytest.raises(KopsError, match=f"(?s){refused}.*{remedy}"):
                other.update(check=check, manifest=manifest)
    assert account.writes(calls) == []
    assert ClusterStore.open(OTHER, NAME).files() == []

    other.create(zones=["us-east-1a"])
    with account.server.recorded() as calls:
        for attempt in attempts(other):
            with pytest.raises(KopsError, match=f"(?s){refused}.*{remedy}"):
                attempt()
        for check in (True, False):
            with pytest.raises(KopsError, match=f"(?s){refused}.*unregister: true"):
                other.delete(check=check)
    assert account.writes(calls) == []
    assert not (tmp_path / "out").exists()
    assert _stores() == {OWNER}

    planned = other.update(check=True, adopt=[OWNER])
    assert any(f"is taken over from {OWNER}" in warning for warning in planned.plan.warnings)
    other.update(adopt=[OWNER])
    assert _stores() == {f"{OTHER}/{NAME}"}
    # From then on it is the other store's, and needs no permission any more.
    assert not other.update(check=True).changed
    with pytest.raises(KopsError, match=f"its nodes are of {OTHER}/{NAME}, not of {OWNER}"):
        account.update(check=True)


@pytest.mark.long
def test_a_state_store_that_was_moved_has_the_keys_of_the_cluster(account: Account) -> None:
    account.create(zones=["us-east-1a"])
    account.update()
    other = _other(account)
    s3 = account.client("s3")
    for file in ClusterStore.open(STORE, NAME).files():
        body = file.path.read().replace(OWNER.encode(), f"{OTHER}/{NAME}".encode())
        s3.put_object(Bucket="other-state", Key=f"{NAME}/{file.name}", Body=body)
    assert not any("taken over" in warning for warning in other.update(check=True).plan.warnings)
    other.update()
    assert _stores() == {f"{OTHER}/{NAME}"}


@pytest.mark.long
def test_a_directory_of_another_cluster(account: Account) -> None:
    """Its keys would be the other cluster's, and its files would replace the other's."""
    account.create(zones=["us-east-1a"])
    account.update()
    before = account.stored()
    wrong = Account(account.server)
    wrong.name = "wrongbase.example.com"
    manifest = wrong.create(zones=["us-east-1a"], check=True)["manifest"]
    manifest = manifest.replace(f"configBase: {STORE}/{wrong.name}", f"configBase: {OWNER}")
    for check in (True, False):
        with pytest.raises(ValidationError, match=rf"configBase: is a place of cluster {NAME} \({OWNER}\)"):
            wrong.update(check=check, manifest=manifest)
        with pytest.raises(ValidationError, match=f"configBase: is a place of cluster {NAME}.*kops_adopt={OWNER} "):
            put(StoreOptions(STORE), sort_objects(load(manifest)), check=check)
    assert ClusterStore.open(STORE, wrong.name).files() == []
    assert account.stored() == before
    planned = put(StoreOptions(STORE, adopt=[OWNER]), sort_objects(load(manifest)), check=True)
    assert any(f"{OWNER} is taken over from cluster {NAME}" in warning for warning in planned.warnings)
    assert account.stored() == before


@pytest.mark.long
def test_a_terraform_directory_of_another_cluster(account: Account, tmp_path: Path) -> None:
    """Its files would be replaced, and Terraform would destroy what they describe."""

    def written() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    out = str(tmp_path / "out")
    account.create(zones=["us-east-1a"])
    account.update(target="terraform", out=out)
    before, second = written(), Account(account.server)
    second.name = "second.example.com"
    second.create(zones=["us-east-1a"])
    stored = second.stored()
    for check in (True, False):
        for adopt in ([], ["third.example.com"], [OWNER]):
            with pytest.raises(KopsError, match=f"the Terraform configuration of cluster {NAME}, .*kops_adopt={NAME} "):
                second.update(target="terraform", out=out, check=check, adopt=adopt)
    assert (written(), second.stored()) == (before, stored)
    planned = second.update(target="terraform", out=out, check=True, adopt=[NAME])
    assert any(f"is taken over from {NAME}: its files are replaced" in warning for warning in planned.plan.warnings)
    assert written() == before
    second.update(target="terraform", out=out, adopt=[NAME])
    assert not second.update(target="terraform", out=out, check=True).changed
    with pytest.raises(KopsError, match=f"the Terraform configuration of cluster {second.name}"):
        account.update(target="terraform", out=out, check=True)
