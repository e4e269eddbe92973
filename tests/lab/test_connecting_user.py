# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that are reached as a user who becomes root by sudo and a password: this user can read no secret at any time.

A process of this user on each host reads all of its files again and again while playbooks run.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, running
from ansible_collections.kubeops.kops.tests.lab.commands import run
from ansible_collections.kubeops.kops.tests.lab.sites import Site
from ansible_collections.kubeops.kops.tests.lab.test_security import KEY, KEYS, LOOKED_AT, encodings

pytestmark = pytest.mark.turn(0)

CONTROL_PLANE, WORKER = HOSTS = ("test1", "test2")
USER, PASSWORD = "deploy", "correct horse"
HOME = f"/home/{USER}"
WATCHED = (HOME, "/tmp", "/var/tmp", "/dev/shm")
PATTERNS = "\n".join(sorted(encodings(KEY)))
# Arguments: the directories. Standard input: what to look for, a line each; and backups of etcd, which are compressed
# with gzip. Ends with the number of rounds.
WATCH = """
import os, sys
patterns = [line.encode() for line in sys.stdin.read().split("\\n")]
rounds = 0
while not os.path.exists("/var/tmp/enough"):
    for top in sys.argv[1:]:
        for directory, _directories, names in os.walk(top):
            for path in (os.path.join(directory, name) for name in names):
                try:
                    with open(path, "rb") as stream:
                        text = stream.read()
                except OSError:
                    continue
                if any(pattern in text for pattern in patterns) or text.startswith(b"\\x1f\\x8b"):
                    print(path, flush=True)
    rounds += 1
print(rounds)
"""
# Stops the converger in its tracks, which holds its lock, and says its process.
STOP = """
import os, signal, time
while True:
    try:
        process = int(open("/run/kops/converge.lock").read())
        if b"python" in open(f"/proc/{process}/cmdline", "rb").read():
            os.kill(process, signal.SIGSTOP)
            print(process)
            break
    except (OSError, ValueError):
        pass
    time.sleep(0.002)
"""
# What a killed run of an earlier version has left.
LEFT = f"{HOME}/.ansible/tmp/ansible-tmp-1763798400.5-4711-81985529216486895/AnsiballZ_node_converge.py"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker that know the user."""
    made = new_site()
    for host in HOSTS:
        hosts.add_user(host, USER, "ALL")
        hosts.within(host, "chpasswd", stdin=f"{USER}:{PASSWORD}\n")
        run(*as_user(host, "mkdir", "-p", posixpath.dirname(LEFT)))
        run(*as_user(host, "sh", "-c", f"umask 077; cat >{LEFT}"), stdin=f"-----BEGIN RSA {KEY}")
    made.variables.update({"ansible_user": USER, "ansible_become_password": PASSWORD})
    return made


def as_user(host: str, *words: str) -> list[str]:
    """A command of the user on a host."""
    return ["podman", "exec", "--interactive", "--user", USER, hosts.PREFIX + host, *words]


@contextlib.contextmanager
def watched() -> Iterator[dict[str, set[str]]]:
    """Host -> files in which the user has found private keys or backups, complete at the end of the block."""
    found: dict[str, set[str]] = {}
    watches = {
        host: subprocess.Popen(
            as_user(host, "python3", "-c", WATCH, *WATCHED), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for host in HOSTS
    }
    for watch in watches.values():
        assert watch.stdin is not None
        watch.stdin.write(PATTERNS)
        watch.stdin.close()
        watch.stdin = None
    try:
        yield found
    finally:
        for host, watch in watches.items():
            run(*as_user(host, "touch", "/var/tmp/enough"))
            *paths, rounds = watch.communicate()[0].splitlines()
            run(*as_user(host, "rm", "/var/tmp/enough"))
            found[host] = set(paths)
            assert int(rounds) > 0


def readable_keys(host: str) -> list[str]:
    """Files anywhere on a host in which the user can read private keys."""
    words = ("grep", "-rlIF", "--no-messages", "--exclude-dir=io.containerd.*", "--file=-", *LOOKED_AT)
    return run(*as_user(host, *words), stdin=PATTERNS, check=False).splitlines()


def misplaced_keys(host: str) -> list[str]:
    """Files with private keys, readable or not, where none belong."""
    words = ("grep", "-rlIF", "--no-messages", "--exclude-dir=io.containerd.*", "--file=-", *LOOKED_AT)
    paths = hosts.within(host, *words, stdin=PATTERNS, check=False).splitlines()
    return [path for path in paths if not KEYS.fullmatch(path)]


@pytest.fixture(scope="module")
def seen(site: Site) -> dict[str, set[str]]:
    """What the user saw while the cluster was created."""
    with watched() as found:
        made = site.create()
    assert made.code == 0, made.output
    return found


def test_the_user_sees_no_secret_while_a_cluster_is_created(seen: dict[str, set[str]]) -> None:
    # The watch has found what was there before, so it would have found more.
    assert seen == {host: {LEFT} for host in HOSTS}


@pytest.mark.parametrize("host", HOSTS)
def test_what_an_earlier_version_left_is_gone(seen: dict[str, set[str]], host: str) -> None:
    assert readable_keys(host) == []
    assert misplaced_keys(host) == []


def test_a_killed_controller_leaves_no_secret(seen: dict[str, set[str]], site: Site) -> None:
    words = ["podman", "exec", hosts.PREFIX + CONTROL_PLANE, "python3", "-c", STOP]
    with watched() as found, subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as stop:
        playing = threading.Thread(target=site.run, args=("hosts",))
        playing.start()
        converger = stop.communicate()[0].strip()
        kill_ansible()
        playing.join()
        left = misplaced_keys(CONTROL_PLANE)
        hosts.within(CONTROL_PLANE, "kill", "-9", converger)
    assert left == []
    assert misplaced_keys(CONTROL_PLANE) == []
    assert found == {host: set() for host in HOSTS}


def kill_ansible() -> None:
    """Kill the playbook that this process runs: ansible-playbook and its workers, which have sessions of their own."""
    children: dict[int, list[int]] = {}
    for line in run("ps", "-e", "-o", "pid=,ppid=").splitlines():
        process, parent = map(int, line.split())
        children.setdefault(parent, []).append(process)
    waiting = [os.getpid()]
    while waiting:
        for process in children.get(waiting.pop(), []):
            with contextlib.suppress(OSError), open(f"/proc/{process}/cmdline", "rb") as words:
                if b"ansible-playbook" in words.read():
                    waiting.append(process)
                    os.kill(process, signal.SIGKILL)


def test_the_next_run_continues(seen: dict[str, set[str]], site: Site) -> None:
    again: running.Run = site.run("hosts")
    assert again.code == 0, again.output


def test_the_user_sees_no_backup_of_etcd(seen: dict[str, set[str]], site: Site) -> None:
    own = f"{HOME}/own.gz"
    run(*as_user(CONTROL_PLANE, "sh", "-c", f"gzip <{HOME}/.profile >{own}"))
    with watched() as found:
        for playbook in ("etcd_backup", "etcd_restore"):
            done = site.run(playbook)
            assert done.code == 0, done.output
    # The watch has found what was there before, so it would have found more.
    assert found == {CONTROL_PLANE: {own}, WORKER: set()}
    assert hosts.within(CONTROL_PLANE, "find", "/var/lib/kops", "/tmp", "-name", "*.backup.gz") == ""
    validated = site.run("validate_cluster", kops_validate_wait=300)
    assert validated.code == 0, validated.output


def test_deletion_removes_what_was_left(seen: dict[str, set[str]], site: Site) -> None:
    for host in HOSTS:
        run(*as_user(host, "mkdir", "-p", posixpath.dirname(LEFT)))
        run(*as_user(host, "sh", "-c", f"cat >{LEFT}"), stdin=f"-----BEGIN RSA {KEY}")
    deleted = site.run("delete_cluster")
    assert deleted.code == 0, deleted.output
    assert {host: misplaced_keys(host) for host in HOSTS} == {host: [] for host in HOSTS}
