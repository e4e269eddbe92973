# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and keysets in a state store, as tasks: made, found by one listing, changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS, GCE
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.reads import Reads
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks._store import know_tree
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks._terraform_files import STORES, Row
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.keypair import Keypair
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.managed_file import (
    ConfidentialFile,
    ContentAddressedFile,
    ManagedFile,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import (
    CONFIGURATION,
    TerraformTarget,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Deferred, Task
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import Tree

ROOT = MemoryPath("store/demo.example.com")
BASE = ROOT.path
PKI = f"{BASE}/pki"


@pytest.fixture(autouse=True)
def _empty_store(monkeypatch: pytest.MonkeyPatch) -> None:
    MemoryPath.clear()
    # Small keys are made quickly.
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the store: "list <directory>", "read <file>"."""
    calls: list[str] = []

    def recorded(method: str, verb: str) -> Callable[[MemoryPath], Any]:
        real = getattr(MemoryPath, method)

        def ask(self: MemoryPath) -> Any:
            calls.append(f"{verb} {self.path.removeprefix('memfs://store/')}")
            return real(self)

        return ask

    for method, verb in (("list_tree", "list"), ("read_tagged", "read")):
        monkeypatch.setattr(MemoryPath, method, recorded(method, verb))
    return calls


def run(*tasks: Task, cloud: Reads | None = None) -> dict[str, str]:
    """Plan and apply; task key -> action."""
    cloud = cloud or Reads()
    plan = make_plan({task.key: task for task in tasks}, cloud)
    apply_plan(plan, cloud)
    return {step.task.key: step.action.value for step in plan.steps if step.action is not Action.NONE}


def file(name: str = "addons/a.yaml", contents: Any = "a", base: str = BASE, **more: Any) -> ManagedFile:
    return ManagedFile(name, base=base, location=name, contents=contents, **more)


# -- files -------------------------------------------------------------------------------------------------------------


def test_files_are_written_and_an_unchanged_one_is_not_read(asked) -> None:
    def wanted() -> list[ManagedFile]:
        late = Deferred(needs=[], build=lambda: "late")
        return [file(), file("bytes", b"\xff"), file("late", late), file("below/x", "x", f"{BASE}/igconfig/")]

    assert set(run(*wanted()).values()) == {"create"}
    assert ROOT.join("igconfig/below/x").read() == b"x"
    assert ROOT.join("bytes").read() == b"\xff"
    asked.clear()
    assert run(*wanted()) == {}
    assert asked == ["list demo.example.com"]


def test_a_file_that_differs_is_read_and_written(asked) -> None:
    run(file())
    asked.clear()
    assert run(file(contents="other")) == {"ManagedFile/addons/a.yaml": "update"}
    assert asked == ["list demo.example.com", "read demo.example.com/addons/a.yaml"]
    assert ROOT.join("addons/a.yaml").read() == b"other"


def test_a_content_addressed_file_is_planned_by_its_location_and_written_again_if_it_is_damaged() -> None:
    wanted = ContentAddressedFile("program", base=BASE, location="igconfig/0123.pyz", contents=b"PK\xff" * 1000)
    plan = make_plan({wanted.key: wanted}, Reads())
    assert [(entry["action"], entry["after"]) for entry in plan.as_data()] == [
        ("create", {"location": "igconfig/0123.pyz"})
    ]
    assert run(wanted) == {"ContentAddressedFile/program": "create"}
    assert run(wanted) == {}
    ROOT.join("igconfig/0123.pyz").write(b"half")
    assert run(wanted) == {"ContentAddressedFile/program": "create"}
    assert ROOT.join("igconfig/0123.pyz").read() == wanted.data


def test_credentials_in_a_file_are_in_no_plan() -> None:
    def wanted(token: str) -> ConfidentialFile:
        return ConfidentialFile("config", base=BASE, location="addons/a.yaml", contents=f"token: {token}")

    for action, token in (("create", "first"), ("update", "second")):
        file = wanted(token)
        plan = make_plan({file.key: file}, Reads())
        shown = f"{plan.as_data()} {plan.text()} {plan.diff()}"
        assert (action in shown, "first" in shown, "second" in shown) == (True, False, False)
        assert run(file) == {"ConfidentialFile/config": action}
        assert ROOT.join("addons/a.yaml").read() == f"token: {token}".encode()
    assert run(wanted("second")) == {}


def test_a_listing_that_there_is_already_is_used(asked) -> None:
    run(file())
    cloud = Reads()
    know_tree(cloud, Tree.of(ROOT))
    asked.clear()
    assert run(file(), cloud=cloud) == {}
    assert asked == []


def test_a_file_without_a_place_is_refused() -> None:
    with pytest.raises(KopsError, match="ManagedFile/x has no place in a store"):
        ManagedFile("x").prepare(Reads())


def test_terraform_does_not_write_to_every_store() -> None:
    assert file().store_only
    with pytest.raises(KopsError, match="cannot write .*: it writes to state stores of s3://, gs:// only"):
        file().terraform(TerraformTarget(PROVIDERS[AWS], {}))


def test_terraform_writes_files_to_google_except_those_that_everybody_reads() -> None:
    place = {"base": "gs://example-state/demo.example.com", "location": "addons/a.yaml"}
    written = ManagedFile("a.yaml", contents="a: b", public=False, **place)
    assert not written.store_only
    assert ManagedFile("a.yaml", contents="a: b", public=True, **place).store_only
    target = TerraformTarget(PROVIDERS[GCE], {"project": "my-project", "region": "us-test1"})
    configuration = target.render([written])[CONFIGURATION].decode()
    (block,) = (each for each in configuration.split("\n\n") if each.startswith('resource "google_storage'))
    assert [line.split("=", 1)[1].strip() for line in block.splitlines()[1:-1]] == [
        '"example-state"',
        'file("${path.module}/data/google_storage_bucket_object_a.yaml_content")',
        '"demo.example.com/addons/a.yaml"',
        "google.files",
    ]
    assert 'provider "google" {\n  alias = "files"\n}' in configuration


def test_a_row_is_all_that_terraform_needs_to_write_another_store(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row(
        "google_storage_bucket_object",
        lambda path, public: {"name": path.name, "cache_control": "public" if public else None},
        PROVIDERS[GCE],
        lambda path: {"project": "my-project"},
        content="contents",
    )
    monkeypatch.setitem(STORES, "memfs", row)
    assert not file().store_only
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"})
    written = file("a.yaml", public=True)
    files = target.render([written])
    configuration = files.pop(CONFIGURATION).decode()
    (path,) = files
    assert files[path] == written.data
    assert f'"${{path.module}}/{path}"' in configuration
    assert path.startswith("data/google_storage_bucket_object_") and path.endswith("_contents")
    (block,) = (each for each in configuration.split("\n\n") if each.startswith('resource "google_storage'))
    assert '  cache_control = "public"\n' in block
    assert "  provider      = google.files\n" in block
    assert 'provider "google" {\n  alias   = "files"\n  project = "my-project"\n}' in configuration


# -- keysets -----------------------------------------------------------------------------------------------------------


def authority(name: str = "kubernetes-ca", subject: str = "cn=kubernetes-ca") -> Keypair:
    return Keypair(name, base=PKI, subject=subject, type="ca")


def certificate(*names: str) -> list[Keypair]:
    signer = authority()
    signed = Keypair("server", base=PKI, subject="cn=server", type="server", signer=signer)
    signed.alternate_names = list(names)
    return [signer, signed]


def primary(name: str) -> Any:
    return Keysets(MemoryPath.open("store/demo.example.com/pki")).get(name).primary


def test_keysets_are_made_and_found_again(asked) -> None:
    assert run(*certificate("a.example.com")) == {"Keypair/kubernetes-ca": "create", "Keypair/server": "create"}
    # What the listing does not show is not looked for; only the signer is read.
    assert asked == ["list demo.example.com/pki", "read demo.example.com/pki/private/kubernetes-ca/keyset.yaml"]
    assert run(*certificate("a.example.com")) == {}
    facts = read_certificate(primary("server").certificate)
    assert (facts.subject, list(facts.alternate_names)) == ("cn=server", ["a.example.com"])


def test_an_authority_stays_whatever_its_subject() -> None:
    run(authority())
    before = primary("kubernetes-ca")
    assert run(authority(subject="cn=other")) == {}
    assert primary("kubernetes-ca") == before


def test_a_certificate_of_other_names_is_issued_anew_for_the_same_key() -> None:
    run(*certificate("a.example.com"))
    before = primary("server")
    assert run(*certificate("b.example.com")) == {"Keypair/server": "update"}
    after = primary("server")
    assert after.private_key == before.private_key
    assert list(read_certificate(after.certificate).alternate_names) == ["b.example.com"]
    assert run(*certificate("b.example.com")) == {}


def test_a_keyset_of_an_old_kops_is_stored_under_its_new_name() -> None:
    run(authority("ca"))
    old = primary("ca")
    assert run(authority()) == {"Keypair/kubernetes-ca": "update"}
    assert primary("kubernetes-ca") == old
    assert run(authority()) == {}


def test_a_keyset_without_a_key_pair_gets_one() -> None:
    run(authority())
    ROOT.join("pki/private/server/keyset.yaml").write(manifest.dump(Keyset().to_api("server")).encode())
    assert run(*certificate("a.example.com")) == {"Keypair/server": "create"}
    assert primary("server") is not None


def test_a_keyset_without_a_place_is_refused() -> None:
    with pytest.raises(KopsError, match="Keypair/x has no place in a store"):
        Keypair("x").prepare(Reads())


def test_keys_are_never_in_terraform() -> None:
    target = TerraformTarget(PROVIDERS[AWS], {})
    before = target.render([])
    assert authority().store_only
    assert TerraformTarget(PROVIDERS[AWS], {}).render([authority()]) == before
