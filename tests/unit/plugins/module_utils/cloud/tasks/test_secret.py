# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A generated secret: random, told to nobody, and never replaced."""

from __future__ import annotations

import base64

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.reads import Reads
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.secret import Secret
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import SERVER_KEY, Secrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import WriteConflict

ROOT = MemoryPath("store/demo.example.com/secrets")
NAME = "encryptionconfig"
CONFIG = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "EncryptionConfiguration",
    "resources": [{"resources": ["secrets"], "providers": [{"identity": {}}]}],
}


@pytest.fixture(autouse=True)
def _empty_store() -> None:
    MemoryPath.clear()


def wanted() -> Secret:
    return Secret(NAME, base=ROOT.path)


def plan(cloud: Reads) -> Plan:
    task = wanted()
    return make_plan({task.key: task}, cloud)


def keys() -> list[str]:
    """The keys of the stored configuration."""
    configuration = yaml.safe_load(Secrets(ROOT).find(NAME) or b"")
    (resources,) = configuration["resources"]
    first, *others = resources["providers"]
    assert (configuration["kind"], resources["resources"]) == ("EncryptionConfiguration", ["secrets"])
    assert others == [{"identity": {}}]
    return [key["secret"] for key in first["secretbox"]["keys"]]


def test_it_is_made_once() -> None:
    cloud = Reads()
    made = plan(cloud)
    assert [(entry["task"], entry["action"]) for entry in made.as_data()] == [(f"Secret/{NAME}", "create")]
    assert Secrets(ROOT).find(NAME) is None
    apply_plan(made, cloud)
    (key,) = keys()
    assert len(base64.b64decode(key, validate=True)) == 32
    assert key not in str(made.as_data())
    assert not plan(Reads()).changed


def test_the_key_of_servers_is_random_and_made_once() -> None:
    found = set()
    for _time in range(2):
        MemoryPath.clear()
        cloud = Reads()
        task = Secret(SERVER_KEY, base=ROOT.path)
        apply_plan(make_plan({task.key: task}, cloud), cloud)
        found.add(Secrets(ROOT).find(SERVER_KEY))
        assert not make_plan({task.key: task}, Reads()).changed
    assert [len(key or b"") for key in found] == [32, 32]


def test_each_is_another() -> None:
    found = set()
    for _time in range(3):
        MemoryPath.clear()
        cloud = Reads()
        apply_plan(plan(cloud), cloud)
        found.update(keys())
    assert len(found) == 3


def test_one_that_was_stored_meanwhile_stays() -> None:
    planned = plan(Reads())
    mine = yaml.safe_dump(CONFIG).encode()
    Secrets(ROOT).store(NAME, mine)
    with pytest.raises(WriteConflict):
        planned.steps[0].task.create(Reads())
    assert Secrets(ROOT).find(NAME) == mine
    assert not plan(Reads()).changed


def test_it_is_never_in_terraform() -> None:
    empty = TerraformTarget(PROVIDERS[AWS], {}).render([])
    assert wanted().store_only
    assert TerraformTarget(PROVIDERS[AWS], {}).render([wanted()]) == empty


def test_it_needs_a_place() -> None:
    with pytest.raises(KopsError, match="Secret/x has no place in a store"):
        Secret("x").prepare(Reads())
