# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keysets: kops' file, kops' order of ids, kops' steps of rotation."""

from __future__ import annotations

import base64
import re

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset, KeysetError, KeysetItem, age
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets, is_rotatable
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, Subject
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import VFSPath


@pytest.fixture
def pki_root() -> VFSPath:
    MemoryPath.clear()
    return MemoryPath("tests/demo/pki")


@pytest.fixture
def keysets(pki_root: VFSPath, monkeypatch: pytest.MonkeyPatch) -> Keysets:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")
    return Keysets(pki_root)


def new_pair(serial: int | None = None) -> pki.KeyPair:
    return pki.issue(CertificateRequest("ca", Subject("kubernetes-ca"), serial=serial or pki.build_serial()))


def two_items() -> Keyset:
    keyset = Keyset()
    keyset.add(new_pair(), primary=True)
    keyset.add(new_pair())
    return keyset


def bundle(name: str, pairs: list[tuple[str, str, str]], primary: str) -> str:
    """kops' own text of a bundle: pairs of (id, certificate, private key)."""
    keys = "".join(
        f'  - id: "{item}"\n'
        f"    privateMaterial: {base64.b64encode(key.encode()).decode()}\n"
        f"    publicMaterial: {base64.b64encode(certificate.encode()).decode()}\n"
        for item, certificate, key in pairs
    )
    head = f"apiVersion: kops.k8s.io/v1alpha2\nkind: Keyset\nmetadata:\n  name: {name}\nspec:\n  keys:\n"
    return f'{head}{keys}  primaryId: "{primary}"\n  type: Keypair\n'


def test_reads_and_writes_kops_own_bundles(keysets: Keysets, pki_root: VFSPath, golden) -> None:
    for name, facts in yaml.safe_load((golden / "facts" / "keysets.yaml").read_text()).items():
        pairs = []
        for which in ("primary", "secondary"):
            certificate, key = (facts[f"{which}{part}"].strip() + "\n" for part in ("Certificate", "Key"))
            pairs.append((str(pki.load_certificate(certificate).serial_number), certificate, key))
        text = bundle(name, sorted(pairs, key=lambda pair: age(pair[0])), pairs[0][0])
        path = pki_root.join("private", name, "keyset.yaml")
        path.write(text.encode())
        keyset = keysets.get(name)
        assert keyset.primary is not None
        assert keyset.primary.pair == pki.KeyPair(pairs[0][1], pairs[0][2])
        assert {item.id for item in keyset.trusted} == {pair[0] for pair in pairs}
        keysets.store(name, keyset)
        assert path.read().decode() == text


def test_a_new_keyset(keysets: Keysets, pki_root: VFSPath) -> None:
    keyset = keysets.create("kubernetes-ca", CertificateRequest("ca", Subject.parse("cn=kubernetes-ca")))
    assert keyset.primary is not None
    serial = str(pki.load_certificate(keyset.primary.certificate).serial_number)
    text = pki_root.join("private", "kubernetes-ca", "keyset.yaml").read().decode()
    assert text == bundle("kubernetes-ca", [(serial, keyset.primary.certificate, keyset.primary.private_key)], serial)
    assert keysets.get("kubernetes-ca") == keyset


def test_issuing_anew_keeps_the_key(keysets: Keysets) -> None:
    first = keysets.create("service-account", CertificateRequest("ca", Subject("service-account")))
    second = keysets.create("service-account", CertificateRequest("ca", Subject("service-account")))
    assert first.primary is not None
    assert second.primary is not None
    assert first.primary.id != second.primary.id
    assert first.primary.private_key == second.primary.private_key
    assert len(second.items) == 2
    assert keysets.signing_certificates() == [item.certificate.encode() for item in second.trusted]


def test_issues_leaf_certificates(keysets: Keysets) -> None:
    ca = keysets.create("kubernetes-ca", CertificateRequest("ca", Subject("kubernetes-ca")))
    pair = keysets.issue("kubernetes-ca", CertificateRequest("client", Subject("kubelet", ("system:nodes",))))
    issuer = pki.load_certificate(ca.certificate_bundle())
    pki.load_certificate(pair.certificate).verify_directly_issued_by(issuer)
    with pytest.raises(KeysetError, match="there is no keyset etcd-clients-ca in memfs://tests/demo/pki"):
        keysets.issue("etcd-clients-ca", CertificateRequest("client", Subject("x")))
    leaf = keysets.create("server", CertificateRequest("server", Subject("x")), signer="kubernetes-ca")
    assert leaf.primary is not None
    pki.load_certificate(leaf.primary.certificate).verify_directly_issued_by(issuer)


@pytest.mark.parametrize(("name", "legacy"), [("kubernetes-ca", "ca"), ("service-account", "master")])
def test_legacy_names(keysets: Keysets, pki_root: VFSPath, name: str, legacy: str) -> None:
    pair = new_pair()
    pki_root.join("private", legacy, "keyset.yaml").write(
        bundle(legacy, [("5", pair.certificate, pair.private_key)], "5").encode()
    )
    keyset = keysets.get(name)
    assert keyset.legacy_format
    keysets.store(name, keyset)
    assert not keysets.get(name).legacy_format


def test_lists_keysets(keysets: Keysets, pki_root: VFSPath) -> None:
    for name in ("kubernetes-ca", "etcd-clients-ca"):
        keysets.create(name, CertificateRequest("ca", Subject(name)))
    pki_root.join("private", "stray").write(b"x")
    assert sorted(keysets.list()) == ["etcd-clients-ca", "kubernetes-ca"]
    assert keysets.find("apiserver-aggregator-ca") is None


def test_nobodys_change_is_overwritten(keysets: Keysets) -> None:
    keysets.create("kubernetes-ca", CertificateRequest("ca", Subject("kubernetes-ca")))
    mine, theirs = keysets.get("kubernetes-ca"), keysets.get("kubernetes-ca")
    theirs.add(new_pair())
    keysets.store("kubernetes-ca", theirs)
    mine.add(new_pair())
    with pytest.raises(KeysetError, match="changed by another process"):
        keysets.store("kubernetes-ca", mine)
    assert keysets.get("kubernetes-ca").items == theirs.items
    with pytest.raises(KeysetError, match="changed by another process"):
        keysets.store("kubernetes-ca", two_items())


@pytest.mark.parametrize(
    "text",
    [
        "not: [yaml",
        "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata:\n  name: nodes\n",
        bundle("x", [("1", "", "")], "1").replace("publicMaterial: ", "publicMaterial: '%'"),
        "\xff",
    ],
)
def test_unreadable_bundles_name_the_file_only(keysets: Keysets, pki_root: VFSPath, text: str) -> None:
    pki_root.join("private", "kubernetes-ca", "keyset.yaml").write(text.encode("latin-1"))
    with pytest.raises(KeysetError, match="memfs://tests/demo/pki/private/kubernetes-ca/keyset.yaml"):
        keysets.find("kubernetes-ca")


def test_ids_are_ordered_as_numbers() -> None:
    assert sorted(["10", "9", "b", "a"], key=age) == ["a", "b", "9", "10"]


def test_the_newest_is_primary_where_none_is_named() -> None:
    keyset = two_items()
    stored = keyset.to_api("x")
    stored.spec.primary_id = None
    assert Keyset.from_api(stored).primary == keyset.sorted_items[-1]
    stored.spec.keys[-1].distrust_timestamp = "2026-01-01T00:00:00Z"
    assert Keyset.from_api(stored).primary == keyset.sorted_items[0]


def test_rotation() -> None:
    keyset = two_items()
    old, new = keyset.sorted_items
    assert keyset.primary is old
    assert keyset.certificate_bundle() == old.certificate + new.certificate
    assert keyset.public_keys().count("BEGIN RSA PUBLIC KEY") == 2
    assert keyset.promote()
    assert keyset.primary is new
    assert not keyset.promote()
    assert keyset.distrust() == [old.id]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", old.distrusted or "")
    assert keyset.distrust() == []
    assert keyset.certificate_bundle() == new.certificate
    assert keyset.trust([old.id]) == [old.id]
    assert keyset.trust([old.id]) == []
    assert keyset.trusted == [old, new]
    assert keyset.promote(old.id)
    assert keyset.primary is old


def test_steps_that_are_not_allowed() -> None:
    with pytest.raises(KeysetError, match="must be primary"):
        Keyset().add(new_pair())
    keyset = two_items()
    old, new = keyset.sorted_items
    with pytest.raises(KeysetError, match="is primary and cannot be distrusted"):
        keyset.distrust([old.id])
    with pytest.raises(KeysetError, match="the keyset has no key pair 5; it has"):
        keyset.trust(["5"])
    keyset.distrust([new.id])
    with pytest.raises(KeysetError, match="is distrusted"):
        keyset.promote(new.id)
    certificate_only = keyset.add(pki.KeyPair(new_pair().certificate))
    with pytest.raises(KeysetError, match="lacks its private key"):
        keyset.promote(certificate_only.id)
    with pytest.raises(KeysetError, match="cannot be made primary"):
        keyset.add(pki.KeyPair(new_pair().certificate), primary=True)
    assert not keyset.promote()


def test_a_certificate_alone_looks_older_than_the_primary() -> None:
    keyset = two_items()
    added = [keyset.add(pki.KeyPair(new_pair().certificate)).id for _number in range(2)]
    assert added == ["0", "1"]


def test_an_older_key_pair_made_primary_gets_a_newer_id() -> None:
    keyset = two_items()
    newest = keyset.sorted_items[-1].id
    imported = keyset.add(new_pair(serial=1), primary=True)
    assert int(imported.id) > int(newest)
    assert keyset.add(new_pair(serial=2)).id == "2"


def test_only_what_can_sign_is_stored(keysets: Keysets) -> None:
    keyset = Keyset()
    with pytest.raises(KeysetError, match="it has no primary"):
        keysets.store("kubernetes-ca", keyset)
    item = KeysetItem("1", new_pair().certificate)
    with pytest.raises(KeysetError, match="cannot sign"):
        keysets.store("kubernetes-ca", Keyset({"1": item}, item))


def test_which_keysets_rotate() -> None:
    names = ("kubernetes-ca", "service-account", "etcd-clients-ca-cilium", "etcd-peers-ca-main")
    assert all(map(is_rotatable, names))
    assert not is_rotatable("kubelet")
