# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates issued on nodes: the same that the controller issues, and none for what is no public key."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import pathlib
import stat
import types

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.certificates import Wanted
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import der, issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import PATH
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

NOW = datetime.datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=datetime.timezone.utc)
DAYS = datetime.timedelta(days=460)
KUBELET = Wanted("client", "system:node:i-0123", ("system:nodes",), (), DAYS)
SERVING = Wanted("server", "i-0123", (), ("i-0123", "10.0.0.9", "localhost", "fd00::9"), DAYS)
WANTED = [
    KUBELET,
    SERVING,
    Wanted("clientServer", "etcd-main", (), ("a.etcd", "127.0.0.1"), DAYS),
    Wanted("client", "kubecfg", ("system:masters", "a", "zebras-of-the-world"), (), DAYS),
    Wanted("server", "", (), ("only-a-name.example.com",), DAYS),
    # Beyond 2049, where certificates have another kind of time.
    Wanted("client", "x" * 64, (), ("y" * 63 + ".z",) * 3, datetime.timedelta(days=9000)),
]


def authority(private_key: str) -> issue.Authority:
    pair = pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca"), private_key=private_key))
    return issue.Authority(pair.certificate, pair.private_key)


@pytest.fixture(name="authorities", scope="module")
def make_authorities() -> dict[str, issue.Authority]:
    """By the kind of their key."""
    return {"RSA": authority(pki.generate_private_key()), "elliptic": authority(pki.generate_elliptic_key())}


@pytest.fixture(name="keys", scope="module")
def make_keys() -> tuple[str, str]:
    return issue.generate_key()


def parsed(pem: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pem.encode())


@pytest.mark.parametrize("kind", ["RSA", "elliptic"])
@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.common_name[:9] or "no name")
def test_what_is_signed_is_what_the_controller_signs(authorities, keys, monkeypatch, kind, wanted) -> None:
    frozen = types.SimpleNamespace(now=lambda _zone: NOW)
    monkeypatch.setattr(pki, "datetime", types.SimpleNamespace(datetime=frozen, timezone=datetime.timezone))
    subject = pki.Subject(wanted.common_name, wanted.organizations)
    request = pki.CertificateRequest(
        wanted.type, subject, wanted.alternate_names, wanted.validity, serial=2**126 + 5, private_key=keys[0]
    )
    signer = authorities[kind]
    theirs = parsed(pki.issue(request, pki.KeyPair(signer.certificate, signer.private_key)).certificate)
    ours = parsed(issue.issue(wanted, keys[1], signer, now=NOW, serial=2**126 + 5))
    assert ours.tbs_certificate_bytes == theirs.tbs_certificate_bytes
    ours.verify_directly_issued_by(parsed(signer.certificate))


def test_serials_and_signatures_are_new_each_time(authorities, keys) -> None:
    made = [parsed(issue.issue(KUBELET, keys[1], authorities["RSA"])) for _count in range(2)]
    assert made[0].serial_number != made[1].serial_number
    assert all(certificate.serial_number > 0 for certificate in made)


def test_an_authority_without_a_key_identifier_gives_none(keys) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "old")])
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(1).not_valid_before(NOW).not_valid_after(NOW + DAYS)
    pem = built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
    old = issue.Authority(pem, pki._private_pem(key))
    made = parsed(issue.issue(KUBELET, keys[1], old, now=NOW))
    assert [extension.oid._name for extension in made.extensions] == [
        "keyUsage",
        "extendedKeyUsage",
        "basicConstraints",
    ]
    assert issue.fits(issue.issue(KUBELET, keys[1], old, now=NOW), KUBELET, old, NOW)


def test_a_new_key_is_of_p256_and_its_public_key_belongs_to_it(keys) -> None:
    private = serialization.load_pem_private_key(keys[0].encode(), None)
    assert isinstance(private, ec.EllipticCurvePrivateKey) and isinstance(private.curve, ec.SECP256R1)
    public = serialization.load_pem_public_key(keys[1].encode())
    assert public == private.public_key()
    assert keys[0] == pki._private_pem(private)
    assert issue.generate_key() != keys


def test_a_certificate_belongs_to_its_key_and_to_no_other(authorities, keys) -> None:
    made = issue.issue(KUBELET, keys[1], authorities["RSA"])
    assert issue.belongs(made, keys[0])
    for authority in authorities.values():
        assert issue.belongs(authority.certificate, authority.private_key)
        assert not issue.belongs(made, authority.private_key)
        assert not issue.belongs(authority.certificate, keys[0])
    for other in ("", "x", keys[1], made, keys[0][:100]):
        assert not issue.belongs(made, other)
    assert not issue.belongs("", keys[0])


@pytest.mark.parametrize("kind", ["RSA", "elliptic"])
def test_what_was_issued_fits(authorities, keys, kind) -> None:
    for wanted in (KUBELET, SERVING):
        pem = issue.issue(wanted, keys[1], authorities[kind], now=NOW)
        assert issue.fits(pem, wanted, authorities[kind], NOW)
        assert issue.fits("a comment\n" + pem + pem, wanted, authorities[kind], NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"common_name": "i-0124"},
        {"organizations": ("system:masters",)},
        {"alternate_names": ("i-0123", "10.0.0.8", "localhost", "fd00::9")},
        {"alternate_names": ()},
        {"type": "clientServer"},
        {"type": "client"},
    ],
)
def test_what_has_to_be_another_does_not_fit(authorities, keys, change) -> None:
    pem = issue.issue(SERVING, keys[1], authorities["RSA"], now=NOW)
    assert not issue.fits(pem, dataclasses.replace(SERVING, **change), authorities["RSA"], NOW)


def test_the_order_of_names_does_not_matter(authorities, keys) -> None:
    pem = issue.issue(SERVING, keys[1], authorities["RSA"], now=NOW)
    reversed_names = dataclasses.replace(SERVING, alternate_names=SERVING.alternate_names[::-1])
    assert issue.fits(pem, reversed_names, authorities["RSA"], NOW)


def test_what_ends_soon_or_is_of_another_authority_does_not_fit(authorities, keys) -> None:
    pem = issue.issue(SERVING, keys[1], authorities["RSA"], now=NOW)
    assert issue.fits(pem, SERVING, authorities["RSA"], NOW + datetime.timedelta(days=399))
    assert not issue.fits(pem, SERVING, authorities["RSA"], NOW + datetime.timedelta(days=401))
    # Of the same name, but with another key.
    assert not issue.fits(pem, SERVING, authorities["elliptic"], NOW)
    for rubbish in ("", "rubbish", pem.replace("M", "N", 3), authorities["RSA"].certificate):
        assert not issue.fits(rubbish, SERVING, authorities["RSA"], NOW)


def test_a_forged_signature_does_not_fit(authorities, keys) -> None:
    same_identifier = issue.Authority(authorities["RSA"].certificate, pki.generate_private_key())
    forged = issue.issue(SERVING, keys[1], same_identifier, now=NOW)
    assert not issue.fits(forged, SERVING, authorities["RSA"], NOW)


def public(key) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def off_the_curve(pem: str) -> str:
    encoded = bytearray(der.from_pem(pem, "PUBLIC KEY"))
    encoded[-1] ^= 1
    return der.to_pem(bytes(encoded), "PUBLIC KEY")


def test_only_points_of_p256_are_certified(authorities, keys) -> None:
    bad = [
        *("", "x", keys[0], authorities["RSA"].certificate, keys[1].replace("MFkw", "MFkx"), off_the_curve(keys[1])),
        public(rsa.generate_private_key(public_exponent=65537, key_size=2048)),
        public(ec.generate_private_key(ec.SECP384R1())),
        public(ed25519.Ed25519PrivateKey.generate()),
        "-----BEGIN PUBLIC KEY-----\n=\n-----END PUBLIC KEY-----\n",
        der.to_pem(issue.checked_public_key(keys[1]) + b"\0", "PUBLIC KEY"),
        der.to_pem(issue.checked_public_key(keys[1])[:-64] + b"\xff" * 64, "PUBLIC KEY"),
    ]
    for pem in bad:
        with pytest.raises(der.EncodingError):
            issue.issue(KUBELET, pem, authorities["RSA"])


def test_what_cannot_be_issued_is_said_without_a_key(authorities, keys) -> None:
    with pytest.raises(issue.IssueError, match="'ca' is not a type"):
        issue.issue(dataclasses.replace(KUBELET, type="ca"), keys[1], authorities["RSA"])
    with pytest.raises(issue.IssueError, match="not a DNS name"):
        issue.issue(dataclasses.replace(SERVING, alternate_names=("köln",)), keys[1], authorities["RSA"])
    broken = issue.Authority(authorities["RSA"].certificate, "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n")
    with pytest.raises(issue.IssueError) as caught:
        issue.issue(KUBELET, keys[1], broken)
    assert "c2Vj" not in str(caught.value)
    assert "c2Vj" not in repr(broken)


# What openssl 1.1.1 (Debian 11, RHEL 8) does not know; version 3 is what runs here.
NEWER_THAN_1_1_1 = ("-CA", "-force_pubkey", "-not_before", "-copy_extensions")


def test_openssl_is_called_as_every_version_of_it_can_be(authorities, keys, monkeypatch, tmp_path) -> None:
    log, directory = tmp_path / "log", tmp_path / "bin"
    directory.mkdir()
    script = directory / "openssl"
    script.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec /usr/bin/openssl "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(issue, "PATH", f"{directory}:{PATH}")
    private, public_key = issue.generate_key()
    assert issue.fits(issue.issue(SERVING, public_key, authorities["RSA"]), SERVING, authorities["RSA"])
    calls = pathlib.Path(log).read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["ecparam", "dgst", "dgst"]
    assert not any(option in call.split() for call in calls for option in NEWER_THAN_1_1_1)
    assert private.splitlines()[1] not in log.read_text()


def test_a_node_without_openssl_is_told_which_package_has_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(issue, "PATH", str(tmp_path))
    with pytest.raises(issue.IssueError, match="install the distribution's package openssl"):
        issue.generate_key()


def test_fuzzed_certificates_end_in_errors_of_ours(authorities, keys) -> None:
    encoded = der.from_pem(issue.issue(SERVING, keys[1], authorities["RSA"]), "CERTIFICATE")
    for position in range(0, len(encoded), 3):
        for value in (0x00, 0x30, 0x7F, 0x80, 0x84, 0xFF):
            mutated = encoded[:position] + bytes([value]) + encoded[position + 1 :]
            pem = f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(mutated).decode()}\n-----END CERTIFICATE-----\n"
            try:
                issue.Parts.of(pem)
            except der.EncodingError:
                continue
