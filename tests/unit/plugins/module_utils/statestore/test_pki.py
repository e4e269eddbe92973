# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates as kops issues them."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, PKIError, Subject
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat


@pytest.fixture(scope="module")
def ca() -> pki.KeyPair:
    return pki.issue(CertificateRequest("ca", Subject("kubernetes-ca"), serial=pki.build_serial()))


def extensions(pair: pki.KeyPair) -> list[tuple[str, bool]]:
    return [(found.oid._name, found.critical) for found in pki.load_certificate(pair.certificate).extensions]


def test_a_ca_is_what_kops_makes(ca: pki.KeyPair, golden) -> None:
    import yaml

    theirs = yaml.safe_load((golden / "facts" / "keysets.yaml").read_text())["kubernetes-ca"]["primaryCertificate"]
    ours, facts = read_certificate(ca.certificate), read_certificate(theirs)
    assert (ours.subject, ours.issuer, ours.type, ours.is_ca) == (facts.subject, facts.issuer, "ca", True)
    assert extensions(ca) == extensions(pki.KeyPair(theirs))
    assert ours.key_length == 2048
    assert ours.not_after - ours.not_before == datetime.timedelta(hours=48 + 10 * 365 * 24)
    assert ca.private_key.startswith("-----BEGIN RSA PRIVATE KEY-----\n")


def test_serials_grow_with_time() -> None:
    early, late = pki.build_serial(1_600_000_000_000_000_000), pki.build_serial(1_600_000_000_000_000_001)
    assert early >> 32 == 1_600_000_000_000_000_000
    assert early < late < pki.build_serial()


@pytest.mark.parametrize(
    ("kind", "usages"),
    [
        ("client", {"CLIENT_AUTH"}),
        ("server", {"SERVER_AUTH"}),
        ("clientServer", {"CLIENT_AUTH", "SERVER_AUTH"}),
    ],
)
def test_leaf_certificates(ca: pki.KeyPair, kind: str, usages: set[str]) -> None:
    names = ("kubernetes", " 100.64.0.1", "", "::1")
    pair = pki.issue(CertificateRequest(kind, Subject("node", ("system:nodes",)), alternate_names=names), ca)
    certificate, issuer = pki.load_certificate(pair.certificate), pki.load_certificate(ca.certificate)
    certificate.verify_directly_issued_by(issuer)
    facts = read_certificate(pair.certificate)
    assert (facts.type, facts.subject, facts.issuer) == (kind, "o=system:nodes,cn=node", "cn=kubernetes-ca")
    assert facts.alternate_names == ["100.64.0.1", "::1", "kubernetes"]
    extended = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert {getattr(x509.oid.ExtendedKeyUsageOID, usage) for usage in usages} == set(extended)
    key_id = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    authority = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    assert authority.key_identifier == key_id
    assert pki.belongs_to(pair.certificate, pair.private_key)


def test_validity(ca: pki.KeyPair) -> None:
    request = CertificateRequest("client", Subject("kubecfg"), validity=datetime.timedelta(hours=18))
    left = read_certificate(pki.issue(request, ca).certificate).not_after - datetime.datetime.now(datetime.timezone.utc)
    assert datetime.timedelta(hours=17, minutes=59) < left <= datetime.timedelta(hours=18)


def test_a_key_that_is_not_ours(ca: pki.KeyPair) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    pair = pki.issue(CertificateRequest("client", Subject("node"), public_key=public), ca)
    assert pair.private_key == ""
    assert pki.load_certificate(pair.certificate).public_key() == key.public_key()


def test_keys_are_stored_in_kops_form(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    pkcs8 = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert pki.normal_private_key("comment\n" + pkcs8).startswith("-----BEGIN EC PRIVATE KEY-----\n")
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")
    pair = pki.issue(CertificateRequest("ca", Subject("small")))
    assert read_certificate(pair.certificate).key_length == 1024
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "long")
    with pytest.raises(PKIError, match="a number of bits"):
        pki.generate_private_key()


def test_public_keys_as_the_api_server_gets_them(ca: pki.KeyPair) -> None:
    text = pki.public_key_pem(ca.certificate)
    lines = text.splitlines()
    assert (lines[0], lines[-1]) == ("-----BEGIN RSA PUBLIC KEY-----", "-----END RSA PUBLIC KEY-----")
    assert max(map(len, lines)) == 64
    spki = pki.load_certificate(ca.certificate).public_key()
    plain = spki.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert text == plain.replace("PUBLIC KEY", "RSA PUBLIC KEY")


@pytest.mark.parametrize("text", ["o=system:masters,cn=kubecfg", "cn=etcd-clients-ca", "o=a,o=b,cn=c,serial=5"])
def test_subjects(text: str) -> None:
    assert str(Subject.parse(text)) == text
    pair = pki.issue(CertificateRequest("ca", Subject.parse(text)))
    assert read_certificate(pair.certificate).subject == text


@pytest.mark.parametrize("text", ["", "kubecfg", "ou=x"])
def test_what_is_no_subject(text: str) -> None:
    with pytest.raises(PKIError, match="is not a certificate subject"):
        Subject.parse(text)


def test_clear_errors(ca: pki.KeyPair) -> None:
    with pytest.raises(PKIError, match="there is no CA with a private key"):
        pki.issue(CertificateRequest("client", Subject("x")))
    with pytest.raises(PKIError, match="there is no CA with a private key"):
        pki.issue(CertificateRequest("client", Subject("x")), pki.KeyPair(ca.certificate))
    with pytest.raises(PKIError, match="'KeyUsageTypo' is not a certificate type"):
        pki.issue(CertificateRequest("KeyUsageTypo", Subject("x")), ca)
    for text in ("", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"):
        with pytest.raises(PKIError, match="CERTIFICATE|certificate"):
            pki.load_certificate(text)
    secret = "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----"
    with pytest.raises(PKIError) as caught:
        pki.normal_private_key(secret)
    assert "c2VjcmV0" not in str(caught.value)


@pytest.mark.parametrize("end", ["\n", "", "\r\n", "\nand so on\n"])
def test_certificates_of_a_bundle(ca: pki.KeyPair, end: str) -> None:
    other = pki.issue(CertificateRequest("ca", Subject("other"), serial=pki.build_serial()))
    found = pki.certificates_of(f"a comment\n{other.certificate}{ca.certificate.rstrip()}{end}")
    assert [pki.normal_certificate(pem) for pem in found] == [other.certificate, ca.certificate]
    assert pki.certificates_of("") == []


def test_private_keys_are_never_shown(ca: pki.KeyPair) -> None:
    request = CertificateRequest("ca", Subject("x"), private_key=ca.private_key)
    assert "PRIVATE" not in repr(ca) + repr(request)
