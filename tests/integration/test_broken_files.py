# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the state store that an update derives from others: a broken one is named, and made again."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.ownership import COMPLETED
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import GROUP_COPY, LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account

# What only the user or the node programs write, or what holds keys: these are no derived files.
GIVEN = ("config", "instancegroup/", "pki/", "secrets/", "backups/", LEASE)
GARBAGE = b"\xff garbage: [\n"


def _break(path: str, old: bytes, new: bytes) -> None:
    file = ClusterStore.open(STORE, NAME).path.join(path)
    content = file.read()
    assert old in content
    file.write(content.replace(old, new))


@pytest.mark.long
def test_every_derived_file_is_made_again(account: Account) -> None:
    account.create(zones=["us-east-1a"])
    account.update()
    right = account.stored()
    derived = sorted(name for name in right if not name.startswith(GIVEN))
    assert COMPLETED in derived
    store = ClusterStore.open(STORE, NAME)
    for name in (*derived, GROUP_COPY):
        store.path.join(name).write(GARBAGE)
    drift = look_for_drift(DriftOptions(STORE, NAME, parts=("store", "cloud")))
    assert any(f"{COMPLETED} is broken, and is made again by the next update" in each for each in drift.warnings)
    found = {each.name for each in drift.found}
    assert COMPLETED in found

    planned = account.update(check=True).plan
    (told,) = [each for each in planned.warnings if "is broken" in each]
    assert told.startswith(f"{STORE}/{NAME}/{COMPLETED} is broken")
    account.update()
    assert account.stored() == right
    assert not account.update(check=True).changed


@pytest.mark.long
@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (b"kubernetesVersion: 1.20.0", "it says Kubernetes 1.20.0, from which no update leads to"),
        (b"kubernetesVersion: latest", "latest"),
    ],
)
def test_a_completed_specification_that_was_edited(account: Account, wrong: bytes, what: str) -> None:
    account.create(zones=["us-east-1a"], kubernetes_version="1.34.1")
    account.update()
    right = account.stored()
    _break(COMPLETED, b"kubernetesVersion: 1.34.1", wrong)
    drift = look_for_drift(DriftOptions(STORE, NAME))
    (told,) = [each for each in drift.warnings if "is broken" in each]
    assert what in told
    assert {(each.kind, each.name) for each in drift.found if each.kind == "ManagedFile"} == {
        ("ManagedFile", COMPLETED)
    }
    planned = account.update(check=True).plan
    assert [step["task"] for step in planned.as_data() if step["action"] != "none"] == [f"ManagedFile/{COMPLETED}"]
    assert any(what in each for each in planned.warnings)
    account.update()
    assert account.stored() == right
