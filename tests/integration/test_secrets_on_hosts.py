# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module is given, and a backup of etcd, is in no file of the connecting user, even if the controller is killed.

sudo is a script that looks at all files of the user when the privileged process is about to start: a module that was
transferred as a file is there then. Meanwhile a thread looks again and again.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import pathlib
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment

pytestmark = pytest.mark.long

SECRET = "VGhpcyBpcyB0aGUga2V5IG9mIHRoZSBhdXRob3JpdHku"
GIVEN = "{{ lookup('env', 'SECRET') }}"
CONVERGE = {"kubeops.kops.node_converge": {"config": {}, "secrets": {"kubernetes-ca.key": GIVEN}}}
ADDONS = {
    "kubeops.kops.addons": {
        "addons": [{"name": "own", "objects": [{"kind": "Secret", "data": {"key": GIVEN}}]}],
        "kubeconfig": "/does/not/exist",
    }
}
# Two pieces of the transfer, and a bit.
BACKUP = 2 * (SECRET.encode() + b"." * (16 << 20))
STORED = {"etcd": "main", "etcd_version": "3.6.5", "member_count": 3, "sha256": hashlib.sha256(BACKUP).hexdigest()}
# A module of Ansible's own, to show that the watch finds what is to be found.
OTHER = {"ansible.builtin.command": {"argv": ["true", GIVEN]}}
# The last argument is the command. What is left of the standard input is the command's.
SUDO = """#!/bin/sh
for command; do :; done
if [ -n "$ASKS" ]; then
  while [ "$1" != -p ]; do shift; done
  printf '%s' "$2" >&2
  read -r password
  [ "$password" = open ] || exit 1
fi
grep -rlF "$SECRET" "$WATCHED" >>"$FOUND"
if [ -n "$KILLS" ]; then
  # Ansible and its worker, which has a process group of its own.
  leader=$(cat "$KILLS")
  process=$PPID
  while [ "$process" != "$leader" ] && [ "$process" -gt 1 ]; do
    killed="$process $killed"
    process=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$process/status")
  done
  kill -9 "$leader" $killed
fi
exec /bin/sh -c "$command"
"""


class Host:
    """A machine that is reached as a user without rights, and this user's files."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self.home = directory / "home"
        self.found = directory / "found"
        self._leader = directory / "leader"
        for path in (self.home, self.home / "tmp"):
            path.mkdir()
        self.found.touch()
        sudo = directory / "sudo"
        sudo.write_text(SUDO)
        sudo.chmod(0o755)
        self.variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "ansible_become_exe": str(sudo),
            "ansible_remote_tmp": str(self.home / "ansible"),
        }

    def run(self, task: dict[str, object], *, kill: bool = False, **environment: str) -> str:
        """Run a task as the privileged user; returns what was printed. kill: Ansible, just before the module starts."""
        play = {"hosts": "all", "gather_facts": False, "become": True, "tasks": [{"check_mode": True, **task}]}
        playbook, inventory = self._directory / "play.yml", self._directory / "hosts.yml"
        playbook.write_text(yaml.safe_dump([play]))
        inventory.write_text(yaml.safe_dump({"all": {"hosts": {"host": self.variables}}}))
        given = {
            **os.environ,
            **ansible_environment(),
            "ANSIBLE_BECOME_ALLOW_SAME_USER": "1",
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "SECRET": SECRET,
            "WATCHED": str(self.home),
            "FOUND": str(self.found),
            "KILLS": str(self._leader) if kill else "",
            **environment,
        }
        command = ["ansible-playbook", "-i", str(inventory), str(playbook), "-vvv"]
        with self._watched(), (self._directory / "output").open("w+") as output:
            process = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$0"; exec "$@"', str(self._leader), *command],
                cwd=ROOT,
                env=given,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            process.wait()
            output.seek(0)
            printed = output.read()
        assert (process.returncode == -signal.SIGKILL) == kill, printed
        return printed

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        ended = threading.Event()

        def watch() -> None:
            while not ended.is_set():
                found = files_with_the_secret(self.home)
                if found:
                    with self.found.open("a") as stream:
                        stream.writelines(f"{path}\n" for path in found)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


def files_with_the_secret(directory: pathlib.Path) -> list[pathlib.Path]:
    found = []
    for place, _directories, names in os.walk(directory):
        for path in (pathlib.Path(place, name) for name in names):
            # Sockets, and files that are gone.
            with contextlib.suppress(OSError):
                if SECRET.encode() in path.read_bytes():
                    found.append(path)
    return found


@pytest.fixture()
def host(tmp_path: pathlib.Path) -> Host:
    return Host(tmp_path)


SETTINGS = {
    "defaults": {},
    "pipelining is switched off": {"ANSIBLE_PIPELINING": "0"},
    "remote files are kept": {"ANSIBLE_KEEP_REMOTE_FILES": "1"},
}


@pytest.mark.parametrize("task", [CONVERGE, ADDONS], ids=["node_converge", "addons"])
@pytest.mark.parametrize("environment", SETTINGS.values(), ids=SETTINGS.keys())
def test_the_connecting_user_sees_no_secret(host: Host, task: dict[str, object], environment: dict[str, str]) -> None:
    printed = host.run(task, **environment)
    # The module has read what it was given, and refused it.
    assert "config: " in printed or "/does/not/exist" in printed
    assert host.found.read_text() == ""


def test_a_password_of_sudo(host: Host) -> None:
    host.variables["ansible_become_password"] = "open"
    printed = host.run(CONVERGE, ASKS="1")
    assert "config: " in printed
    assert host.found.read_text() == ""


def test_a_killed_controller_leaves_no_secret(host: Host) -> None:
    host.run(CONVERGE, kill=True)
    assert host.found.read_text() == ""
    assert files_with_the_secret(host.home) == []


def test_the_watch_sees_what_other_modules_are_given(host: Host) -> None:
    host.run(OTHER)
    assert "AnsiballZ_command.py" in host.found.read_text()
    host.run(OTHER, kill=True)
    assert files_with_the_secret(host.home) != []


@pytest.fixture()
def backups(tmp_path: pathlib.Path) -> dict[str, dict[str, object]]:
    """A task that stores root's file with a backup of etcd, and one that writes the stored one to another such file."""
    cluster = tmp_path / "store" / "demo.example.com"
    cluster.mkdir(parents=True)
    document = {"apiVersion": "kops.k8s.io/v1alpha2", "kind": "Cluster", "metadata": {"name": cluster.name}}
    etcd = {"name": "main", "etcdMembers": [{"name": "a", "instanceGroup": "control-plane"}]}
    (cluster / "config").write_text(
        yaml.safe_dump({**document, "spec": {"kubernetesVersion": "1.34.0", "etcdClusters": [etcd]}})
    )
    for name in ("taken", "brought back"):
        (tmp_path / name).mkdir()
    (tmp_path / "taken" / "main.backup.gz").write_bytes(BACKUP)
    given = {"state_store": f"file://{tmp_path}/store", "cluster_name": cluster.name}
    store = {**given, "backups": [STORED], "directory": str(tmp_path / "taken")}
    fetch = {**given, "directory": str(tmp_path / "brought back")}
    return {
        "store": {"kubeops.kops.etcd_backup_store": store, "check_mode": False},
        "fetch": {"kubeops.kops.etcd_backup_fetch": fetch, "check_mode": False},
    }


@pytest.mark.parametrize("environment", SETTINGS.values(), ids=SETTINGS.keys())
def test_the_connecting_user_sees_no_backup_of_etcd(
    host: Host, backups: dict[str, dict[str, object]], tmp_path: pathlib.Path, environment: dict[str, str]
) -> None:
    host.variables["ansible_become_password"] = "open"
    host.run(backups["store"], ASKS="1", **environment)
    (stored,) = (tmp_path / "store").rglob("etcd.backup.gz")
    assert stored.read_bytes() == BACKUP
    brought = tmp_path / "brought back" / "main.backup.gz"
    brought.write_bytes(2 * BACKUP)
    brought.chmod(0o644)
    host.run(backups["fetch"], ASKS="1", **environment)
    assert brought.read_bytes() == BACKUP
    assert stat.S_IMODE(brought.stat().st_mode) == 0o600
    assert host.found.read_text() == ""


def test_a_backup_of_etcd_is_not_in_ansibles_output(
    host: Host, backups: dict[str, dict[str, object]], tmp_path: pathlib.Path
) -> None:
    """With -vvv, the connection plugin for SSH shows what a command has written."""
    client = tmp_path / "ssh"
    client.write_text('#!/bin/sh\nfor command; do :; done\nexec /bin/sh -c "$command"\n')
    client.chmod(0o755)
    host.variables.update({"ansible_connection": "ssh", "ansible_ssh_executable": str(client)})
    for task in backups.values():
        printed = host.run(task)
        assert "stdout and stderr censored due to no log" in printed
        assert base64.b64encode(BACKUP[:30]).decode() not in printed
        assert SECRET not in printed
    assert (tmp_path / "brought back" / "main.backup.gz").read_bytes() == BACKUP
    assert host.found.read_text() == ""


def test_a_killed_controller_leaves_no_backup_of_etcd(
    host: Host, backups: dict[str, dict[str, object]], tmp_path: pathlib.Path
) -> None:
    host.run(backups["store"], kill=True)
    assert list((tmp_path / "store").rglob("etcd.backup.gz")) == []
    host.run(backups["store"])
    # When sudo starts, the controller has the whole backup.
    host.run(backups["fetch"], kill=True)
    assert host.found.read_text() == ""
    assert files_with_the_secret(host.home) == []


def test_a_backup_that_cannot_be_read_or_written_is_explained(
    host: Host, backups: dict[str, dict[str, object]], tmp_path: pathlib.Path
) -> None:
    (tmp_path / "taken" / "main.backup.gz").write_bytes(BACKUP[:-1])
    assert "is not the one that was taken: its checksum is wrong" in host.run(backups["store"])
    (tmp_path / "taken" / "main.backup.gz").unlink()
    printed = host.run(backups["store"])
    assert "main.backup.gz cannot be read: " in printed
    assert "No such file" in printed
    (tmp_path / "taken" / "main.backup.gz").write_bytes(BACKUP)
    host.run(backups["store"])
    (tmp_path / "brought back").rmdir()
    printed = host.run(backups["fetch"])
    assert "main.backup.gz cannot be written: " in printed
    assert "No such file" in printed
    host.variables.update({"ansible_become_method": "su"})
    assert "the become method su cannot do that, but sudo can" in host.run(backups["store"])


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"ansible_become_method": "su"}, "the become method su cannot do that, but sudo can"),
        ({"ansible_connection": "ssh", "ansible_ssh_extra_args": "-tt"}, "the options of SSH ask for a terminal"),
        ({"ansible_connection": "ssh", "ansible_ssh_extra_args": "-o RequestTTY=yes"}, "the options of SSH ask for"),
    ],
)
def test_where_only_a_file_is_possible_the_module_is_not_run(
    host: Host, variables: dict[str, str], message: str
) -> None:
    host.variables.update(variables)
    if variables.get("ansible_become_method"):
        del host.variables["ansible_become_exe"]
    printed = host.run(CONVERGE)
    assert message in printed
    assert host.found.read_text() == ""


def test_a_sudo_that_wants_a_terminal_is_explained(host: Host) -> None:
    sudo = pathlib.Path(host.variables["ansible_become_exe"])
    sudo.write_text("#!/bin/sh\necho 'sudo: sorry, you must have a tty to run sudo' >&2\nexit 1\n")
    assert "remove requiretty from its sudoers file" in host.run(CONVERGE)
