# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
import os
import pathlib
import struct
import threading
from collections.abc import Sequence

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import tpm as tpm_commands
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.attestation_key import TEMPLATE_INDEX
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.tpm import (
    ENDORSEMENT,
    OWNER,
    TPM,
    Device,
    TPMError,
    open_device,
    sized,
)
from ansible_collections.kubeops.kops.tests.support import software_tpm
from ansible_collections.kubeops.kops.tests.support.software_tpm import SoftwareTPM, template

OK = struct.pack(">HII", 0x8001, 10, 0)


class Scripted:
    """A channel with these answers."""

    def __init__(self, answers: Sequence[bytes]) -> None:
        self.answers, self.commands, self.closed = list(answers), list[bytes](), False

    def exchange(self, command: bytes) -> bytes:
        self.commands.append(command)
        return self.answers.pop(0)

    def close(self) -> None:
        self.closed = True


def refused(code: int) -> bytes:
    return struct.pack(">HII", 0x8001, 10, code)


@software_tpm.needed
def test_what_is_stored_is_read_in_pieces(tmp_path: pathlib.Path) -> None:
    content = bytes(range(256)) * 5
    with software_tpm.running(tmp_path / "tpm", content) as running, running.connect() as tpm:
        assert tpm.stored(TEMPLATE_INDEX) == content
        with pytest.raises(TPMError, match="NV_ReadPublic ended with code 0x18b") as caught:
            tpm.stored(TEMPLATE_INDEX + 1)
        assert caught.value.code == 0x18B


@software_tpm.needed
def test_a_primary_key_follows_from_hierarchy_and_template(tpm: SoftwareTPM) -> None:
    found = {}
    with tpm.connect() as commands:
        for name, hierarchy, unique in (
            ("first", ENDORSEMENT, bytes(256)),
            ("again", ENDORSEMENT, bytes(256)),
            ("other template", ENDORSEMENT, b"\1" + bytes(255)),
            ("other hierarchy", OWNER, bytes(256)),
        ):
            handle, found[name] = commands.create_primary(hierarchy, template(unique))
            commands.flush(handle)
        with pytest.raises(TPMError, match="FlushContext"):
            commands.flush(handle)
    assert found["first"] == found["again"]
    assert len(set(found.values())) == 3


@software_tpm.needed
def test_a_restricted_key_signs_what_its_tpm_has_hashed_only(tpm: SoftwareTPM) -> None:
    with tpm.connect() as commands:
        digest, ticket = commands.hashed(b"data")
        assert digest == hashlib.sha256(b"data").digest()
        handle, _public = commands.create_primary(ENDORSEMENT, template())
        try:
            assert commands.sign(handle, digest, ticket)[:2] == (0x0014, tpm_commands.SHA256)
            other = hashlib.sha256(b"other").digest()
            with pytest.raises(TPMError, match="Sign ended"):
                commands.sign(handle, other, ticket)
            # Data that begins like a statement of the TPM itself gets no ticket to be signed with.
            with pytest.raises(TPMError, match="Sign ended"):
                commands.sign(handle, *commands.hashed(b"\xffTCG" + b"a quote of another machine"))
        finally:
            commands.flush(handle)


def test_a_busy_tpm_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tpm_commands, "_PAUSE", 0)
    channel = Scripted([refused(0x922), refused(0x908), refused(0x90A), OK])
    with TPM(channel) as tpm:
        tpm.flush(0x80000000)
    assert len(channel.commands) == 4
    assert channel.closed
    channel = Scripted([refused(0x922)] * 10)
    with pytest.raises(TPMError, match="FlushContext ended with code 0x922"):
        TPM(channel).flush(1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "no answer to Hash"),
        (OK + b"more", "the answer to Hash has another size than it says"),
        (refused(0x101), "Hash ended with code 0x101"),
        (OK, "an answer ends in the middle"),
        (struct.pack(">HIIH", 0x8001, 12, 0, 32), "an answer ends in the middle"),
    ],
)
def test_answers_that_cannot_be_used(answer: bytes, said: str) -> None:
    with pytest.raises(TPMError, match=said):
        TPM(Scripted([answer])).hashed(b"data")


def test_an_index_that_ends_early() -> None:
    public = sized(struct.pack(">IHIHH", 1, 0xB, 0, 0, 4))
    empty = struct.pack(">IH", 2, 0)
    answers = [struct.pack(">HII", 0x8001, 10 + len(each), 0) + each for each in (public, empty)]
    with pytest.raises(TPMError, match="index 0x1 holds less than it says"):
        TPM(Scripted(answers)).stored(1)


def test_the_first_device_that_there_is(tmp_path: pathlib.Path) -> None:
    with pytest.raises(KopsError, match="this instance has no TPM .*Shielded VM"):
        open_device(str(tmp_path))
    (tmp_path / "dev").mkdir()
    for name in ("tpm0", "tpmrm0"):
        (tmp_path / "dev" / name).touch()
        device = open_device(str(tmp_path))
        assert os.readlink(f"/proc/self/fd/{device._descriptor}") == str(tmp_path / "dev" / name)
        device.close()


def test_a_device_takes_a_command_and_gives_an_answer(tmp_path: pathlib.Path) -> None:
    """A terminal stands for the device: what is read is not what was written."""
    kernel, path = os.openpty()
    name = os.ttyname(path)
    device = Device(name)
    answered = threading.Thread(target=lambda: os.write(kernel, os.read(kernel, 100).upper()))
    answered.start()
    assert device.exchange(b"command\n").rstrip() in (b"COMMAND", b"command")
    answered.join()
    device.close()
    os.close(path)
    os.close(kernel)
