# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ssh is told, and what its answers mean. tests/integration/test_over_ssh.py has a real server."""

from __future__ import annotations

import pathlib
import re
import shlex

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools import over_ssh
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.over_ssh import (
    Access,
    access_of,
    hand_over,
    is_given,
    mark_of_credentials,
    mark_of_host,
    new_birth,
    nonce_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    credentials_document,
    proof_of,
)

KEY, NONCE = b"k" * 32, b"n" * 32
DOCUMENT = credentials_document("the-token", "the-key", "the-secret")
HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"
ADDRESS, NAME = "192.0.2.5", "one.demo.example.com"


class FakeSSH:
    """A program in place of ssh. By the number of the call: what it prints, what it says of errors, its exit code."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._file = directory / "ssh"
        self.says()

    def says(self, first: tuple[str, str, int] = ("", "", 0), second: tuple[str, str, int] = ("", "", 0)) -> None:
        shown = f"{NAME} {HOST_KEY}\n"
        cases = "".join(
            f"{number}) printf %s {shlex.quote(out)}; printf %s {shlex.quote(err)} >&2; exit {code};;\n"
            for number, (out, err, code) in enumerate((first, second), start=1)
        )
        self._file.write_text(
            "#!/bin/sh\n"
            f"cd {self._directory}\n"
            "number=$(($(ls -d call.* 2> /dev/null | wc -l) + 1))\n"
            "cat > sent.$number\n"
            'printf "%s\\0" "$@" > call.$number\n'
            "for each; do case $each in UserKnownHostsFile=*) known=${each#*=};; esac; done\n"
            f"[ -s $known ] || printf %s {shlex.quote(shown)} > $known\n"
            f"case $number in {cases}esac\n"
        )
        self._file.chmod(0o755)

    def calls(self) -> list[list[str]]:
        files = sorted(self._directory.glob("call.*"))
        return [file.read_text().split("\0")[:-1] for file in files]

    def sent(self) -> list[bytes]:
        return [file.read_bytes() for file in sorted(self._directory.glob("sent.*"))]

    @property
    def program(self) -> str:
        return str(self._file)


@pytest.fixture()
def ssh(tmp_path: pathlib.Path) -> FakeSSH:
    """One to which the right server answers."""
    found = FakeSSH(tmp_path)
    found.says((proof_of(NONCE, HOST_KEY), "", 0))
    return found


def give(ssh: FakeSSH, **access: str) -> str:
    return hand_over(ADDRESS, NAME, NONCE, DOCUMENT, Access(program=ssh.program, **access))


def test_a_nonce_is_of_one_server_of_one_birth():
    known = {nonce_of(KEY, "demo", "a-1", "x"), nonce_of(KEY, "demo", "a-1", "y"), nonce_of(KEY, "demo", "a-2", "x")}
    known |= {nonce_of(KEY, "other", "a-1", "x"), nonce_of(b"l" * 32, "demo", "a-1", "x")}
    assert len(known) == 5
    assert {len(nonce) for nonce in known} == {32}
    assert nonce_of(KEY, "demo", "a-1", "x") == nonce_of(KEY, "demo", "a-1", "x")


def test_a_birth_fits_into_a_label_and_is_another_each_time():
    births = {new_birth() for _time in range(20)}
    assert len(births) == 20
    assert all(re.fullmatch(r"[0-9a-f]{16}", each) for each in births)


@pytest.mark.parametrize("other", [("another", "the-key", "the-secret"), ("the-token", "the-key", "another")])
def test_a_mark_says_which_credentials_a_server_has(other):
    mark = mark_of_credentials(KEY, DOCUMENT)
    assert re.fullmatch(r"[0-9a-f]{32}", mark)
    assert is_given(mark, KEY, DOCUMENT)
    assert not is_given(mark, KEY, credentials_document(*other))
    assert not is_given(mark, b"l" * 32, DOCUMENT)
    assert not is_given("", KEY, DOCUMENT)


@pytest.mark.parametrize("use", [lambda: nonce_of(b"", "demo", "a", "x"), lambda: mark_of_credentials(b"", DOCUMENT)])
def test_a_cluster_without_a_key_gets_no_guessable_values(use):
    with pytest.raises(KopsError, match="no key for the credentials of its servers"):
        use()


def test_the_variables_of_ansible_say_how_servers_are_reached(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    environment = {
        "ANSIBLE_REMOTE_USER": "admin",
        "ANSIBLE_PRIVATE_KEY_FILE": "~/keys/one",
        "ANSIBLE_REMOTE_PORT": "2222",
        "ANSIBLE_SSH_COMMON_ARGS": "-o 'ProxyJump=me@jump'",
        "ANSIBLE_SSH_EXTRA_ARGS": "-v",
        "ANSIBLE_SSH_EXECUTABLE": "/opt/ssh",
    }
    options = ("-o", "ProxyJump=me@jump", "-v")
    assert access_of(environment) == Access("admin", "root", "/home/me/keys/one", "2222", options, "/opt/ssh")
    assert access_of({}) == Access()
    with pytest.raises(KopsError, match="cannot be read: No closing quotation"):
        access_of({"ANSIBLE_SSH_COMMON_ARGS": "-o 'ProxyJump"})


def test_the_proof_is_asked_for_and_then_the_document_is_sent_to_this_host_key(ssh):
    assert give(ssh) == mark_of_host(HOST_KEY)
    first, second = ssh.calls()
    assert ssh.sent() == [b"", DOCUMENT]
    assert "StrictHostKeyChecking=accept-new" in first
    assert "StrictHostKeyChecking=yes" in second
    for call in (first, second):
        assert {"BatchMode=yes", "ForwardAgent=no", "ControlPath=none", "ConnectTimeout=15"} <= {*call}
        assert call[-2] == ADDRESS
        assert not any(secret in word for word in call for secret in ("the-token", "the-key", "the-secret"))
    assert "-l" not in first


def test_own_options_come_after_those_that_must_count(ssh, tmp_path):
    (tmp_path / "key").touch()
    access = Access("me", "root", str(tmp_path / "key"), "2222", ("-o", "StrictHostKeyChecking=no"), ssh.program)
    hand_over(ADDRESS, NAME, NONCE, DOCUMENT, access)
    for call in ssh.calls():
        words = " ".join(call)
        assert f"-l me -i {tmp_path}/key -p 2222 -o StrictHostKeyChecking=no -- {ADDRESS}" in words
        assert words.index("StrictHostKeyChecking=") < words.index("StrictHostKeyChecking=no")


def test_what_the_shell_of_a_user_says_first_is_no_proof(ssh):
    ssh.says((f"Welcome!\n{proof_of(NONCE, HOST_KEY)}", "", 0))
    give(ssh)
    assert len(ssh.calls()) == 2


@pytest.mark.parametrize(
    "proof", ["", "0" * 64, proof_of(b"m" * 32, HOST_KEY), proof_of(NONCE, "ssh-ed25519 OTHER"), "é"]
)
def test_nothing_is_sent_to_a_server_whose_proof_is_wrong(ssh, proof):
    ssh.says((proof, "", 0))
    with pytest.raises(KopsError, match=f"another server than {NAME} answers at {ADDRESS}"):
        give(ssh)
    assert ssh.sent() == [b""]


LATER = [
    ("ssh: connect to host 192.0.2.5 port 22: Connection refused", 255),
    ("ssh: connect to host 192.0.2.5 port 22: Connection timed out", 255),
    ("ssh: connect to host 192.0.2.5 port 22: No route to host", 255),
    ("kex_exchange_identification: Connection closed by remote host\nConnection closed by 192.0.2.5 port 22", 255),
    ("Connection reset by 192.0.2.5 port 22", 255),
    ("", 255),
]
FOR_GOOD = [
    ("root@192.0.2.5: Permission denied (publickey).", 255, r"any key of ssh's own and its agent is refused \(root@"),
    ("Received disconnect: 2: Too many authentication failures\nDisconnected", 255, "is refused .*Too many"),
    ("me@jump: Permission denied (publickey).\nConnection closed by UNKNOWN port 65535", 255, "is refused .me@jump"),
    ("/x: line 3: Bad configuration option: nonsense\n/x: terminating, 1 bad", 255, "does not take its settings"),
    ("sudo: a password is required", 92, "sudo: a password is required; log in as root"),
    ('Please login as the user "ubuntu" rather than the user "root".\n\n', 142, 'cannot be given .*user "ubuntu"'),
    ("\x1b[31mred\x07", 1, r"credentials: \[31mred$"),
]


@pytest.mark.parametrize(("said", "code"), LATER)
def test_a_server_that_does_not_answer_yet_is_tried_again(ssh, said, code):
    ssh.says(("", said, code))
    with pytest.raises(TryAgainLater, match=f"server {NAME} .{ADDRESS}. does not answer over SSH yet: ") as later:
        give(ssh)
    assert str(later.value).endswith(said.splitlines()[-1] if said else "exit code 255")


def test_a_server_that_has_no_proof_yet_is_tried_again(ssh):
    ssh.says(("", "", 90))
    with pytest.raises(TryAgainLater, match="has not said yet which host key it has: it is starting"):
        give(ssh)


@pytest.mark.parametrize(("said", "code", "sentence"), FOR_GOOD)
def test_what_no_further_attempt_changes_is_an_error(ssh, said, code, sentence):
    ssh.says(("", said, code))
    with pytest.raises(KopsError, match=sentence) as refused:
        give(ssh)
    assert not isinstance(refused.value, TryAgainLater)
    assert ssh.sent() == [b""]


def test_what_breaks_off_while_it_is_sent_is_tried_again(ssh):
    ssh.says((proof_of(NONCE, HOST_KEY), "", 0), ("", "", 91))
    with pytest.raises(TryAgainLater, match="broke off"):
        give(ssh)


def test_what_a_server_prints_of_what_it_was_sent_is_not_said(ssh):
    ssh.says((proof_of(NONCE, HOST_KEY), "", 0), (DOCUMENT.decode(), "no space left", 1))
    with pytest.raises(KopsError, match="cannot be given its credentials: no space left") as refused:
        give(ssh)
    assert "the-" not in str(refused.value)


def test_a_server_that_hangs_is_tried_again(ssh, monkeypatch):
    monkeypatch.setattr(over_ssh, "_SECONDS", 1)
    pathlib.Path(ssh.program).write_text("#!/bin/sh\nexec sleep 20\n")
    with pytest.raises(TryAgainLater, match="did not end a command within 1 s"):
        give(ssh)


def test_without_ssh_the_user_is_told_what_to_install(tmp_path):
    with pytest.raises(KopsError, match=r"/none cannot be run \(No such file .*\); install the OpenSSH client"):
        hand_over(ADDRESS, NAME, NONCE, DOCUMENT, Access(program=str(tmp_path / "none")))


def test_a_key_that_is_not_there_is_said_before_anything_is_asked(ssh, tmp_path):
    with pytest.raises(KopsError, match=f"server {NAME} cannot be .* there is no private key {tmp_path}/none"):
        give(ssh, key_file=str(tmp_path / "none"))
    assert ssh.calls() == []


def test_a_host_key_that_ssh_does_not_say_is_no_host_key(ssh):
    script = pathlib.Path(ssh.program).read_text().replace("ssh-ed25519 AAAA", "ssh-rsa AAAA")
    pathlib.Path(ssh.program).write_text(script)
    with pytest.raises(KopsError, match="ssh has not said which host key of the type ssh-ed25519 server"):
        give(ssh)
