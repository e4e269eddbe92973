# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pathlib
import subprocess

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.attestation_key import AttestationKey
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.tpm import TPMError
from ansible_collections.kubeops.kops.tests.support import software_tpm
from ansible_collections.kubeops.kops.tests.support.software_tpm import ATTRIBUTES, SoftwareTPM, template

pytestmark = software_tpm.needed
_RESTRICTED = 0x10000


def test_openssl_verifies_what_it_signs(tpm: SoftwareTPM, tmp_path: pathlib.Path) -> None:
    """Somebody else's code reads the public key, and finds the signature right."""
    (tmp_path / "key.pem").write_text(tpm.public_key)
    (tmp_path / "signature").write_bytes(tpm.sign(b"a statement"))
    command = ["openssl", "dgst", "-sha256", "-verify", "key.pem", "-signature", "signature"]
    for data, said in ((b"a statement", "Verified OK"), (b"another one", "Verification")):
        done = subprocess.run(command, input=data, capture_output=True, cwd=tmp_path, check=False)
        assert said in done.stdout.decode()


def test_it_is_the_key_that_the_tools_of_others_make_of_the_template(tpm: SoftwareTPM, tmp_path: pathlib.Path) -> None:
    options = ["-C", "e", "-G", "rsa2048:rsassa-sha256:null", "-g", "sha256"]
    attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|sign"
    (tmp_path / "unique").write_bytes(b"\0\1" + bytes(256))
    context = str(tmp_path / "context")
    tpm.tool("tpm2_createprimary", *options, "-a", attributes, "-c", context, "-u", str(tmp_path / "unique"))
    tpm.tool("tpm2_readpublic", "-c", context, "-f", "pem", "-o", str(tmp_path / "pem"))
    tpm.tool("tpm2_flushcontext", "-t")
    assert (tmp_path / "pem").read_text() == tpm.public_key


def test_each_tpm_has_its_own(tpm: SoftwareTPM, other_tpm: SoftwareTPM) -> None:
    assert tpm.public_key != other_tpm.public_key
    assert tpm.sign(b"data") == tpm.sign(b"data") != other_tpm.sign(b"data")


def test_the_key_is_given_back(tpm: SoftwareTPM) -> None:
    """A TPM has room for three keys."""
    for _time in range(5):
        tpm.sign(b"data")
    with tpm.connect() as commands:
        for _time in range(5):
            with pytest.raises(TPMError, match="takes 1024 bytes to sign, not 1025"), AttestationKey(commands) as key:
                key.sign(bytes(1025))
    assert tpm.tool("tpm2_getcap", "handles-transient") == b""


def test_a_template_may_have_room_after_it(tmp_path: pathlib.Path, tpm: SoftwareTPM) -> None:
    with software_tpm.running(tmp_path / "tpm", template() + bytes(40)) as running:
        assert len(running.sign(b"data")) == 256


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        (b"", "the TPM of this instance has no attestation key of Google Cloud"),
        (b"\0\x23" + template()[2:], "the attestation key is no RSA key"),
        (template()[:100], "an answer ends in the middle"),
        # The TPM itself refuses a key that is restricted, and does nothing.
        (template(attributes=ATTRIBUTES & ~0x40000), "CreatePrimary ended with code"),
    ],
)
def test_a_tpm_that_google_has_not_provisioned(tmp_path: pathlib.Path, stored: bytes, said: str) -> None:
    with software_tpm.running(tmp_path / "tpm", stored) as running, pytest.raises(KopsError, match=said):
        running.sign(b"data")


def test_a_key_that_is_not_restricted_signs_as_well(tmp_path: pathlib.Path) -> None:
    """Whether it is restricted is Google's choice."""
    stored = template(attributes=ATTRIBUTES & ~_RESTRICTED)
    with software_tpm.running(tmp_path / "tpm", stored) as running:
        assert len(running.sign(b"data")) == 256


def test_a_key_that_signs_otherwise_is_refused(tmp_path: pathlib.Path) -> None:
    probabilistic = template().replace(b"\0\x14\0\x0b", b"\0\x16\0\x0b", 1)
    with (
        software_tpm.running(tmp_path / "tpm", probabilistic) as running,
        pytest.raises(TPMError, match="signs with algorithm 0x16"),
    ):
        running.sign(b"data")
