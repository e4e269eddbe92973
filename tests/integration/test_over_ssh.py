# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials are handed over to a real OpenSSH server: to the one that proves who it is, and to no other."""

from __future__ import annotations

import dataclasses
import getpass
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.over_ssh import hand_over, mark_of_host
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    NONCE_VARIABLE,
    PROOF_FILE,
    credentials_document,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import given
from ansible_collections.kubeops.kops.tests.support import ssh_server
from ansible_collections.kubeops.kops.tests.support.ssh_server import SSHServer

pytestmark = ssh_server.needed

ADDRESS, NAME, NONCE = "127.0.0.1", "control-plane-1.demo.example.com", bytes(range(32))
SECRETS = ("the-token-of-the-cloud", "THEACCESSKEY", "the-secret-key")
DOCUMENT = credentials_document(*SECRETS)
# What the controller runs that is killed.
CONTROLLER = f"""
import sys
from {hand_over.__module__} import Access, hand_over
hand_over({ADDRESS!r}, {NAME!r}, {NONCE!r}, sys.stdin.buffer.read(), Access(*sys.argv[1:3], *sys.argv[3:]))
"""


@pytest.fixture()
def server(tmp_path: pathlib.Path) -> Iterator[SSHServer]:
    (tmp_path / "server").mkdir()
    with ssh_server.running(tmp_path / "server") as started:
        yield started


@pytest.fixture()
def other(tmp_path: pathlib.Path) -> Iterator[SSHServer]:
    """Another server that takes the same user's key: it has come in between."""
    (tmp_path / "other").mkdir()
    with ssh_server.running(tmp_path / "other") as started:
        yield started


def give(server: SSHServer, known: str = "", **changes: object) -> str:
    access = dataclasses.replace(server.access, **changes)
    return hand_over(ADDRESS, NAME, NONCE, DOCUMENT, access, known)


def assert_nothing_was_sent(server: SSHServer) -> None:
    assert not server.credentials.exists()
    assert "mktemp" not in server.asked


def test_a_server_that_proves_who_it_is_gets_them(server: SSHServer) -> None:
    server.prove(NONCE)
    assert give(server) == mark_of_host(server.host_key)
    assert server.credentials.read_bytes() == DOCUMENT
    assert stat.S_IMODE(server.credentials.stat().st_mode) == 0o600
    assert [file.name for file in server.credentials.parent.iterdir()] == [server.credentials.name]
    assert not any(secret in server.asked for secret in SECRETS)


def test_what_a_node_says_is_what_the_controller_looks_for(server: SSHServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "HOST_KEY_FILE", str(server.directory / "host.pub"))
    monkeypatch.setattr(given, "PROOF_FILE", f"{server.directory}{PROOF_FILE}")
    monkeypatch.setattr(given, "CREDENTIALS_FILE", str(server.credentials))
    monkeypatch.setenv(NONCE_VARIABLE, NONCE.hex())
    with pytest.raises(TryAgainLater, match="has not said yet which host key it has"):
        give(server)
    with pytest.raises(OSError, match="not there yet"):
        given.given_credentials()
    give(server)
    assert given.given_credentials() == json.loads(DOCUMENT)


def test_a_server_that_was_told_another_nonce_gets_nothing(server: SSHServer) -> None:
    server.prove(bytes(32))
    with pytest.raises(KopsError, match=f"another server than {NAME} answers at {ADDRESS}.* was sent nothing"):
        give(server)
    assert_nothing_was_sent(server)


def test_a_server_in_between_that_passes_on_the_proof_gets_nothing(server: SSHServer, other: SSHServer) -> None:
    other.prove(NONCE, server.host_key)
    with pytest.raises(KopsError, match=f"another server than {NAME}"):
        give(other)
    assert_nothing_was_sent(other)


def test_a_server_that_comes_in_between_after_the_proof_gets_nothing(server: SSHServer, other: SSHServer) -> None:
    server.prove(NONCE)
    (other.directory / "authorized_keys").write_text((server.directory / "authorized_keys").read_text())
    script = f"""#!/bin/sh
if [ -e {other.directory}/now ]; then exec ssh -p {other.port} "$@"; fi
: > {other.directory}/now
exec ssh -p {server.port} "$@"
"""
    program = other.program("changing-ssh", script)
    with pytest.raises(KopsError, match=f"another server than {NAME}") as refused:
        give(server, program=str(program), port="")
    assert "Host key verification failed" in str(refused.value)
    assert other.asked == ""
    assert_nothing_was_sent(server)


def test_other_credentials_need_the_host_key_and_no_proof(server: SSHServer, other: SSHServer) -> None:
    server.prove(NONCE)
    known = give(server)
    server.prove(bytes(32))
    server.credentials.write_bytes(b"older")
    assert give(server, known) == known
    assert server.credentials.read_bytes() == DOCUMENT
    other.prove(NONCE)
    with pytest.raises(KopsError, match=f"another server than {NAME}"):
        give(other, known)
    assert_nothing_was_sent(other)


def test_the_usual_user_is_that_of_servers_without_another_one(server: SSHServer) -> None:
    server.prove(NONCE)
    give(server, user="", usual_user=getpass.getuser())
    assert server.credentials.read_bytes() == DOCUMENT


def test_settings_of_the_user_that_would_take_any_server_do_not_count(server: SSHServer) -> None:
    server.prove(NONCE)
    lax = ("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "HostKeyAlgorithms=ssh-rsa")
    give(server, options=lax)
    assert server.credentials.read_bytes() == DOCUMENT


def test_a_denied_login_names_user_and_key(server: SSHServer, other: SSHServer) -> None:
    server.prove(NONCE)
    sentence = f"SSH with the key {re.escape(str(other.key))} is refused .*{getpass.getuser()}@127.0.0.1: Permission"
    with pytest.raises(KopsError, match=sentence) as denied:
        give(server, key_file=str(other.key))
    assert not isinstance(denied.value, TryAgainLater)
    assert server.asked == ""


def test_a_server_that_is_not_there_yet_is_tried_again(server: SSHServer) -> None:
    with pytest.raises(TryAgainLater, match="does not answer over SSH yet: .*Connection refused"):
        give(server, port="9")


def test_users_who_are_not_root_need_sudo_without_a_password(server: SSHServer) -> None:
    server.prove(NONCE)
    server.program("id", "#!/bin/sh\necho 1000\n")
    server.program("sudo", "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    with pytest.raises(KopsError, match=r"sudo: a password is required; log in as root"):
        give(server)
    assert not server.credentials.exists()
    server.program("sudo", '#!/bin/sh\n[ "$1" = -n ] && shift && exec "$@"\n')
    give(server)
    assert server.credentials.read_bytes() == DOCUMENT


def test_what_arrives_cut_off_is_not_kept(server: SSHServer) -> None:
    server.prove(NONCE)
    server.credentials.parent.mkdir()
    server.credentials.write_bytes(b"older")
    program = server.program("short-ssh", '#!/bin/sh\nhead -c 20 | ssh "$@"\n')
    with pytest.raises(TryAgainLater, match="broke off"):
        give(server, program=str(program))
    assert server.credentials.read_bytes() == b"older"
    assert [file.name for file in server.credentials.parent.iterdir()] == [server.credentials.name]


def test_a_full_disk_is_said_and_leaves_what_was_there(server: SSHServer) -> None:
    server.prove(NONCE)
    full = """#!/bin/sh
if [ $# -gt 0 ]; then exec /bin/cat "$@"; fi
echo 'cat: no space' >&2
exit 1
"""
    server.program("cat", full)
    with pytest.raises(KopsError, match="cannot be given its credentials: cat: no space"):
        give(server)
    assert list(server.credentials.parent.iterdir()) == []


def test_a_run_that_is_killed_before_it_sends_is_run_again(server: SSHServer) -> None:
    server.prove(NONCE)
    server.before_writing(": > $directory/reached; while [ ! -e $directory/end ]; do sleep 0.1; done; exit 1")
    access = server.access
    command = [sys.executable, "-c", CONTROLLER, access.user, "root", access.key_file, access.port]
    controller = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    assert controller.stdin is not None
    controller.stdin.write(DOCUMENT)
    controller.stdin.close()
    wait_for(server.directory / "reached")
    # With its ssh, as when a machine goes down.
    os.killpg(controller.pid, signal.SIGKILL)
    controller.wait()
    (server.directory / "end").touch()
    assert not server.credentials.exists()
    server.before_writing("")
    give(server)
    assert server.credentials.read_bytes() == DOCUMENT


def test_no_secret_is_in_a_list_of_processes(server: SSHServer) -> None:
    server.prove(NONCE)
    server.before_writing("cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ > $directory/processes 2> /dev/null; true")
    give(server)
    seen = (server.directory / "processes").read_bytes()
    assert NAME.encode() in seen
    assert not any(secret.encode() in seen for secret in SECRETS)
    assert NONCE.hex().encode() not in seen


def test_nothing_stays_on_the_controller(
    server: SSHServer, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    server.prove(NONCE)
    server.before_writing(f"cp -r {tmp_path}/temporary $directory/copied")
    give(server)
    assert os.listdir(tmp_path / "temporary") == []
    held = [file.read_bytes() for file in (server.directory / "copied").rglob("*") if file.is_file()]
    assert held
    assert not any(secret.encode() in content for secret in SECRETS for content in held)


def wait_for(file: pathlib.Path) -> None:
    end = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < end, f"{file} has not appeared"
        time.sleep(0.05)
