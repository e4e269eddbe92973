# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keysets, read as a node reads them: the same as the controller reads, and nothing that is not a keyset."""

from __future__ import annotations

import base64
import json
import pathlib
import re

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.keysets import KeysetError, load, location, parse
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset

KEY = base64.b64encode(b"-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n").decode()
# As kops 1.19 to 1.37 write it; comments and indented lists as people do who edit it.
TEXT = f"""\
apiVersion: kops.k8s.io/v1alpha2
kind: Keyset
metadata:
  creationTimestamp: null
  name: kubernetes-ca
spec:
  keys:
  - distrustTimestamp: "2021-07-12T13:14:15Z"
    id: "6976381481633145814258938750"
    privateMaterial: {KEY}
    publicMaterial: {KEY}
  - id: "6976381481633145814258938751"
    privateMaterial: {KEY}
    publicMaterial: {KEY}
  - id: "7"
    publicMaterial: {KEY}
  primaryId: "6976381481633145814258938751"
  type: Keypair
"""


@pytest.fixture(name="rotated", scope="module")
def make_rotated() -> Keyset:
    """Three generations: distrusted, primary, next; and a certificate that is only trusted."""
    keyset = Keyset()
    key = pki.generate_elliptic_key()
    for number in range(4):
        subject = pki.Subject("kubernetes-ca", serial_number=str(number))
        pair = pki.issue(pki.CertificateRequest("ca", subject, private_key=key))
        keyset.add(pki.KeyPair(pair.certificate) if number == 3 else pair, primary=number < 2)
    keyset.distrust()
    return keyset


def as_controller_has_it(keyset: Keyset) -> tuple[str, str, tuple[str, ...]]:
    return keyset.certificate_bundle(), keyset.signer().private_key, tuple(item.id for item in keyset.sorted_items)


def as_node_has_it(content: bytes) -> tuple[str, str, tuple[str, ...]]:
    keyset = parse(content, "kubernetes-ca")
    return keyset.bundle(), keyset.signer().private_key, tuple(pair.id for pair in keyset.pairs)


def test_a_rotated_keyset_is_what_the_controller_wrote(rotated: Keyset) -> None:
    assert as_node_has_it(manifest.dump(rotated.to_api("kubernetes-ca")).encode()) == as_controller_has_it(rotated)


def test_json_is_read_too(rotated: Keyset) -> None:
    content = json.dumps(yaml.safe_load(manifest.dump(rotated.to_api("kubernetes-ca")))).encode()
    assert as_node_has_it(content) == as_controller_has_it(rotated)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        re.sub(r"^  (  |- )", r"    \1", TEXT, flags=re.MULTILINE),
        "---\n# a comment\n" + TEXT.replace('"7"', "'7'").replace("type: Keypair", "type: Keypair  "),
        TEXT.replace("\n", "\r\n"),
    ],
    ids=["kops", "indented lists", "comment", "lines of Windows"],
)
def test_shapes_that_are_read(text: str) -> None:
    keyset = parse(text.encode(), "kubernetes-ca")
    data = yaml.safe_load(text)
    assert [pair.id for pair in keyset.pairs] == sorted((key["id"] for key in data["spec"]["keys"]), key=int)
    assert keyset.signer().id == "6976381481633145814258938751"
    assert [pair.trusted for pair in keyset.pairs] == [True, False, True]
    assert not keyset.pairs[0].can_sign


def test_without_a_named_primary_the_newest_signs() -> None:
    text = TEXT.replace('  primaryId: "6976381481633145814258938751"\n', "")
    assert parse(text.encode(), "x").signer().id == "6976381481633145814258938751"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "kind: Cluster\nspec:\n  a: b\n",
        TEXT + "spec:\n  a: b\n",
        TEXT.replace("  keys:\n", "  keys: [{}, {}]\n"),
        TEXT.replace(f"publicMaterial: {KEY}", f"publicMaterial: |\n      {KEY}"),
        TEXT.replace(f"publicMaterial: {KEY}", f"publicMaterial: &anchor {KEY}"),
        TEXT.replace(KEY, "not base64!"),
        TEXT.replace(KEY, "bm90IFBFTcO8Cg=="),
        TEXT.replace("    publicMaterial", "\tpublicMaterial"),
        TEXT.replace("  - id", " - id", 1),
        TEXT.replace("    publicMaterial", "     publicMaterial", 1),
        TEXT.replace("kops.k8s.io", "köps"),
        TEXT.replace('"7"', '"7\\x41"'),
    ],
)
def test_anything_else_is_refused_without_telling_a_key(text: str) -> None:
    with pytest.raises(KeysetError) as caught:
        parse(text.encode(), "kubernetes-ca")
    assert "kubernetes-ca" in str(caught.value)
    assert KEY[:20] not in str(caught.value)


def test_a_keyset_without_a_key_that_signs_is_named() -> None:
    text = TEXT.replace("    privateMaterial: " + KEY + "\n", "")
    with pytest.raises(KeysetError, match="keyset demo has no primary key pair that can sign"):
        parse(text.encode(), "demo").signer()


def test_former_names_of_keysets_are_read() -> None:
    files = {"pki/private/ca/keyset.yaml": TEXT.encode()}
    assert load(files.get, "kubernetes-ca").name == "kubernetes-ca"
    with pytest.raises(KeysetError, match="no keyset etcd-clients-ca"):
        load(files.get, "etcd-clients-ca")


def test_keysets_of_kops_own_cases(golden: pathlib.Path) -> None:
    for name, pairs in yaml.safe_load((golden / "facts" / "keysets.yaml").read_text()).items():
        stored = Keyset()
        stored.reissued(pki.KeyPair(pairs["primaryCertificate"].strip() + "\n", pairs["primaryKey"].strip() + "\n"))
        files = {location(name): manifest.dump(stored.to_api(name)).encode()}
        assert load(files.get, name).bundle() == stored.certificate_bundle()
