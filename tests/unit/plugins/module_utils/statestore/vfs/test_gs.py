# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is particular to objects of Cloud Storage: generations, parts, lists of access, and answers that are lost."""

from __future__ import annotations

import base64
import io

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease, LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import gs
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError, WriteConflict, md5
from ansible_collections.kubeops.kops.tests.support.storage_server import Fault, Service, StoredBucket, StoredObject


@pytest.fixture
def bucket(service: Service, gs_bucket_name: str) -> StoredBucket:
    """A new, empty bucket."""
    return service.buckets[gs_bucket_name]


@pytest.fixture
def root(gs_bucket_name: str) -> gs.GSPath:
    """The same as a store."""
    found = open_path(f"gs://{gs_bucket_name}")
    assert isinstance(found, gs.GSPath)
    return found


def methods(service: Service) -> list[str]:
    return [each.partition(" ")[0] for each in service.asked]


def test_names_of_objects_are_kept_as_they_are(root: gs.GSPath, bucket: StoredBucket) -> None:
    name = "demo.example.com/a b&c=d?e#f%2Fg+h/ä"
    root.join(name).write(b"x")
    assert [*bucket.objects] == [name]
    assert [file.name for file in root.list_tree()] == [name]
    assert root.join(name).read() == b"x"
    root.join(name).remove()
    assert not bucket.objects


def test_a_conditional_write_names_the_generation_that_was_read(root: gs.GSPath, service: Service) -> None:
    path = root.join("lease.json")
    first = path.write(b"one", if_none_match=True)
    assert "ifGenerationMatch=0" in service.asked[-1]
    generation = service.generation
    path.write(b"two", if_match=first)
    assert f"ifGenerationMatch={generation}" in service.asked[-1]


def test_what_is_written_between_look_and_write_is_not_lost(
    root: gs.GSPath, service: Service, gs_bucket_name: str
) -> None:
    path = root.join("lease.json")
    first = path.write(b"one")

    def overwrite() -> None:
        service.put(gs_bucket_name, "lease.json", b"theirs", {}, {})

    service.faults = [Fault("GET .*fields=generation", status=200, act=True, then=overwrite)]
    with pytest.raises(WriteConflict, match="was changed meanwhile"):
        path.write(b"ours", if_match=first)
    assert path.read() == b"theirs"


def test_a_conditional_write_whose_answer_was_lost_is_ours(root: gs.GSPath, service: Service) -> None:
    path = root.join("lease.json")
    service.faults = [Fault("POST", act=True)]
    first = path.write(b"one", if_none_match=True)
    # Twice, then a look.
    assert methods(service) == ["POST", "POST", "GET"]
    service.faults = [Fault("POST", act=True)]
    second = path.write(b"two", if_match=first)
    assert path.read_tagged() == (b"two", second)


def test_one_that_another_process_has_overwritten_is_a_conflict(
    root: gs.GSPath, service: Service, gs_bucket_name: str
) -> None:
    def overwrite() -> None:
        service.put(gs_bucket_name, "lease.json", b"theirs", {}, {})

    service.faults = [Fault("POST", act=True, then=overwrite)]
    with pytest.raises(WriteConflict):
        root.join("lease.json").write(b"ours", if_none_match=True)
    assert root.join("lease.json").read() == b"theirs"


def test_one_that_another_process_has_removed_is_a_conflict(
    root: gs.GSPath, service: Service, bucket: StoredBucket
) -> None:
    path = root.join("lease.json")
    first = path.write(b"one")
    service.faults = [Fault("POST", act=True, then=bucket.objects.clear)]
    with pytest.raises(WriteConflict):
        path.write(b"two", if_match=first)
    assert not bucket.objects


def test_the_same_content_of_another_process_is_a_conflict(root: gs.GSPath) -> None:
    """No answer was lost: two processes have written the same."""
    path = root.join("lease.json")
    path.write(b"one")
    with pytest.raises(WriteConflict):
        path.write(b"one", if_none_match=True)


def test_a_keyset_whose_answer_was_lost_is_not_called_that_of_another_process(
    root: gs.GSPath, service: Service
) -> None:
    keysets = Keysets(root)
    service.faults = [Fault("POST", act=True)]
    pair = pki.issue(pki.CertificateRequest(type="ca", subject=pki.Subject("ca"), serial=pki.build_serial()), None)
    keyset = Keyset()
    keyset.add(pair, primary=True)
    keysets.store("kubernetes-ca", keyset)
    assert keysets.get("kubernetes-ca").etag == keyset.etag


def test_a_lease_is_taken_although_each_second_answer_is_lost(root: gs.GSPath, service: Service) -> None:
    path = root.join("igconfig/lease.json")
    for number in range(3):
        service.faults = [Fault("POST", act=True), Fault("GET", act=True), Fault("POST", status=429)]
        with Lease(path, f"update {number}", wait=5) as lease:
            lease.ensure()
            with pytest.raises(LeaseHeld, match=f"update {number}"), Lease(path, "another", wait=0):
                pass


def test_what_arrives_with_another_hash_is_refused(
    root: gs.GSPath, bucket: StoredBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gs, "_md5", lambda _data: b"0" * 16)
    with pytest.raises(StoreError, match="cannot write gs://.*/config: Provided MD5 hash"):
        root.join("config").write(b"x")
    assert not bucket.objects


def test_lists_more_than_one_page(root: gs.GSPath, service: Service) -> None:
    service.page = 2
    for number in range(5):
        root.join("many", str(number)).write(b"x")
    service.asked.clear()
    listed = root.join("many").list_tree()
    assert [(file.name, file.etag, file.size) for file in listed] == [(str(each), md5(b"x"), 1) for each in range(5)]
    assert len(service.asked) == 3
    root.remove_many([file.path for file in listed])
    assert root.list_tree() == []


def test_a_file_that_cannot_be_removed_is_an_error(root: gs.GSPath, bucket: StoredBucket) -> None:
    for name in ("a", "b"):
        root.join(name).write(b"x")
    bucket.denied = {"delete"}
    with pytest.raises(StoreError, match="cannot remove gs://.*lack a permission.*storage.objects.delete"):
        root.remove_many([root.join("a"), root.join("b")])


def test_the_empty_object_of_a_directory_is_no_file(root: gs.GSPath, bucket: StoredBucket) -> None:
    bucket.objects["demo/"] = StoredObject("demo/", b"", 1)
    root.join("demo/config").write(b"x")
    assert [file.name for file in root.list_tree()] == ["demo/config"]


def test_an_object_without_a_hash(root: gs.GSPath, bucket: StoredBucket) -> None:
    """Google has none of objects that were composed of others: then the generation tells that it has changed."""
    bucket.objects["config"] = StoredObject("config", b"one", 7, about={"composed": True})
    data, etag = root.join("config").read_tagged()
    (listed,) = root.list_tree()
    assert (data, etag, listed.etag) == (b"one", "generation-7", "generation-7")
    assert listed.holds(b"one")
    assert not listed.holds(b"two")
    assert root.join("config").write(b"two", if_match=etag) == md5(b"two")


class _Stream(io.BytesIO):
    """A file that cannot go back."""

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize("size", [0, 100, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_large_files_go_in_parts(
    root: gs.GSPath, service: Service, bucket: StoredBucket, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gs, "PART", 1 << 20)
    content = bytes(range(251)) * (size // 251 + 1)
    root.join("backup").upload(_Stream(content[:size]))
    assert bucket.objects["backup"].content == content[:size]
    assert methods(service).count("PUT") == -(-size // (1 << 20)) * (size >= 1 << 20)


def test_parts_that_break_off_or_are_half_taken_are_sent_again(
    root: gs.GSPath, service: Service, bucket: StoredBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gs, "PART", 1 << 20)
    content = bytes(range(256)) * (10 << 10)
    service.takes = 768 << 10
    service.faults = [Fault("PUT", act=True), Fault("PUT", 503), Fault("PUT"), Fault("POST", act=True)]
    root.join("backup").upload(_Stream(content))
    assert bucket.objects["backup"].content == content
    assert not service.faults


def test_the_lost_answer_to_the_last_part(
    root: gs.GSPath, service: Service, bucket: StoredBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gs, "PART", 1 << 20)
    # The answer to the first one is as it would be.
    service.faults = [Fault("PUT", status=308, act=True), Fault("PUT", act=True)]
    root.join("backup").upload(_Stream(b"x" * (2 << 20)))
    assert bucket.objects["backup"].content == b"x" * (2 << 20)
    assert methods(service) == ["POST", "PUT", "PUT", "PUT"]


def test_a_download_that_breaks_off_is_continued(root: gs.GSPath, service: Service) -> None:
    content = bytes(range(256)) * (20 << 10)
    root.join("backup").write(content)
    service.faults = [Fault("GET", act=True, after=3 << 20), Fault("GET", act=True, after=1 << 20)]
    received = io.BytesIO()
    root.join("backup").download(received)
    assert received.getvalue() == content
    assert len(service.asked) == 4


def test_what_is_replaced_while_it_comes_down_is_not_mixed(
    root: gs.GSPath, service: Service, gs_bucket_name: str
) -> None:
    root.join("backup").write(b"a" * (5 << 20))

    def overwrite() -> None:
        service.put(gs_bucket_name, "backup", b"b" * (5 << 20), {}, {})

    service.faults = [Fault("GET", act=True, after=3 << 20, then=overwrite)]
    with pytest.raises(FileNotFoundError):
        root.join("backup").download(io.BytesIO())


def test_what_everybody_reads(root: gs.GSPath, service: Service, bucket: StoredBucket) -> None:
    root.join("jwks").write(b"x", public=True)
    root.join("config").write(b"x")
    assert [(each.name, each.acl, each.about.get("cacheControl")) for each in bucket.objects.values()] == [
        ("jwks", "publicRead", "no-cache"),
        ("config", "", None),
    ]
    # The bucket is asked once.
    root.join("more").write(b"x", public=True)
    assert methods(service) == ["GET", "POST", "POST", "POST"]


UNIFORM = {"iamConfiguration": {"uniformBucketLevelAccess": {"enabled": True}}}


def test_a_bucket_with_uniform_access_gets_no_lists_of_access(root: gs.GSPath, bucket: StoredBucket) -> None:
    bucket.settings, bucket.members = UNIFORM, ["allUsers"]
    root.join("jwks").write(b"x", public=True)
    assert bucket.objects["jwks"].acl == ""


def test_a_bucket_with_uniform_access_that_nobody_reads(root: gs.GSPath, bucket: StoredBucket) -> None:
    bucket.settings, bucket.members = UNIFORM, ["user:a@example.com"]
    root.join("config").write(b"x")
    with pytest.raises(StoreError, match="everybody has to read it.*add-iam-policy-binding gs://.*--member=allUsers"):
        root.join("jwks").write(b"x", public=True)
    assert [*bucket.objects] == ["config"]


def test_a_policy_that_may_not_be_read_is_taken_to_be_right(root: gs.GSPath, bucket: StoredBucket) -> None:
    bucket.settings, bucket.denied = UNIFORM, {"policy"}
    root.join("jwks").write(b"x", public=True)
    assert "jwks" in bucket.objects


def test_what_the_bucket_keeps_from_everybody_is_no_conflict(root: gs.GSPath, service: Service) -> None:
    said = b'{"error": {"message": "The member allUsers is not allowed: public access prevention is enforced."}}'
    service.faults = [Fault("POST", status=412, content=said)]
    with pytest.raises(StoreError, match="cannot write gs://.*/jwks: .*public access prevention is enforced"):
        root.join("jwks").write(b"x", public=True, if_none_match=True)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 1),
        ({"versioning": {"enabled": False}, "softDeletePolicy": {"retentionDurationSeconds": "0"}}, 1),
        ({"versioning": {"enabled": True}}, 0),
        ({"softDeletePolicy": {"retentionDurationSeconds": "604800"}}, 0),
    ],
)
def test_advice_to_switch_versioning_on(
    root: gs.GSPath, bucket: StoredBucket, gs_bucket_name: str, settings: dict[str, object], expected: int
) -> None:
    bucket.settings = settings
    advice = root.advice()
    assert len(advice) == expected
    command = f"Switch it on: gcloud storage buckets update gs://{gs_bucket_name} --versioning"
    assert all(each.endswith(command) for each in advice)


def test_no_advice_about_what_may_not_be_looked_at(root: gs.GSPath, bucket: StoredBucket) -> None:
    bucket.denied = {"about"}
    assert root.advice() == []


def test_hashes_are_those_of_the_content(root: gs.GSPath, bucket: StoredBucket) -> None:
    root.join("config").write(b"x")
    assert base64.b64decode(bucket.objects["config"].md5_hash).hex() == md5(b"x")
