# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong while hosts become nodes: the error says what, and the next run goes on from there.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import concurrent.futures
import functools
import http.server
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import etcd, hosts, network, running, servers
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.turn(5)

# The first worker is there from the beginning, as pods have to run somewhere; the others come, and have faults.
CONTROL_PLANE, WORKER, *WORKERS = "test1", "test2", "test3", "test4"
STRANGER = "test5"
# Fresh hosts that become control planes.
NEWCOMERS = ("test6", "test7")
KILLS = 20
# What a run that waits for a node which cannot come would wait for.
HASTY = {"kops_validate_wait": 5}
LOCK = "/run/kops/converge.lock"
DOWNLOADS, BINARIES = "/var/cache/kops/downloads", "/usr/local/bin"
# Kills the holder of the converger's lock on the host at random moments: seed, how many, seconds at most.
KILLER = """
import os, random, signal, sys, time
seed, count, longest = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
moments = random.Random(seed)

def holder():
    try:
        process = int(open("/run/kops/converge.lock").read())
        with open(f"/proc/{process}/cmdline", "rb") as words:
            return process if b"python" in words.read() else 0
    except (OSError, ValueError):
        return 0

while count and not os.path.exists("/run/enough"):
    process = holder()
    if not process:
        time.sleep(0.002)
        continue
    moment = moments.uniform(0, longest)
    time.sleep(moment)
    if holder() == process:
        os.kill(process, signal.SIGKILL)
        while holder() == process:
            time.sleep(0.002)
        print(f"{moment:.2f}", flush=True)
        count -= 1
"""


class Files(http.server.ThreadingHTTPServer):
    """The lab's files once more; damaged: the end of the path of one whose first byte is another one."""

    damaged = ""
    request_queue_size = 64

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_address[1]}"


class _Handler(http.server.SimpleHTTPRequestHandler):
    server: Files

    def copyfile(self, source: Any, outputfile: Any) -> None:
        if self.server.damaged and self.path.endswith(self.server.damaged):
            outputfile.write(bytes([source.read(1)[0] ^ 1]))
        super().copyfile(source, outputfile)

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def files(prepared: None) -> Iterator[Files]:
    """The server from which the hosts of this file download."""
    handler = functools.partial(_Handler, directory=str(servers.directory()))
    with Files((network.GATEWAY, 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


Create = Callable[..., running.Run]


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site], files: Files) -> Site:
    """A control plane and a worker, which download from the server of this file."""
    return new_site(spec={"assets": {"fileRepository": files.url}})


@pytest.fixture(scope="module")
def create(site: Site) -> Create:
    """Function: run create_cluster with these workers besides the first; strangers: hosts in no instance group."""

    def run(*workers: str, strangers: tuple[str, ...] = (), **variables: Any) -> running.Run:
        site.workers, site.others = [WORKER, *workers], list(strangers)
        return site.create(**variables)

    return run


@pytest.fixture(scope="module")
def killed(create: Create, told: running.Run, site: Site) -> list[str]:
    """The moments at which the converger was killed on the control plane, which was fresh before."""
    playbook = site.directory / "converge.yml"
    playbook.write_text(yaml.safe_dump(_converging(CONTROL_PLANE), sort_keys=False))
    site.workers, site.others = [WORKER], []
    seed = random.randrange(2**32)
    print(f"\nseed of the moments: {seed}")
    moments: list[str] = []
    while len(moments) < KILLS:
        if moments:  # It was done before that: on with another one.
            hosts.remove(CONTROL_PLANE)
            hosts.start(CONTROL_PLANE)
        words = ("podman", "exec", "--interactive", hosts.PREFIX + CONTROL_PLANE, "python3", "-")
        given = (str(seed + len(moments)), str(KILLS - len(moments)), "3")
        with subprocess.Popen((*words, *given), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killer:
            assert killer.stdin is not None
            assert killer.stdout is not None
            killer.stdin.write(KILLER)
            killer.stdin.close()
            run = site.run(str(playbook))
            hosts.within(CONTROL_PLANE, "touch", "/run/enough")
            moments += killer.stdout.read().split()
        assert run.code == 0, run.output
    return moments


def _converging(host: str) -> list[dict[str, Any]]:
    """A playbook that runs the converger as often as it takes."""
    plan = f"hostvars.localhost.kops_plan.hosts.{host}"
    arguments = {name: f"{{{{ {plan}.{name} }}}}" for name in ("config", "secrets", "facts")}
    task = {
        "kubeops.kops.node_converge": arguments,
        "register": "done",
        "until": "done is success",
        "retries": KILLS + 2,
        "delay": 0,
    }
    return [
        {"import_playbook": "kubeops.kops.preflight"},
        {"hosts": host, "gather_facts": False, "tasks": [task]},
    ]


# -- before anything is changed -------------------------------------------------------------------------------------


def _paths(host: str) -> set[str]:
    """Everything that a node would be of, on a host."""
    return set(hosts.within(host, "find", "/etc", "/opt", "/srv", "/usr", "/var/lib", "-xdev").splitlines())


@pytest.fixture(scope="module")
def told(create: Create) -> Iterator[running.Run]:
    """A run on hosts with which everything is wrong; a good one in its end."""
    hosts.within(CONTROL_PLANE, "systemd-run", "--unit=squatter", "python3", "-m", "http.server", "10250")
    release = hosts.within(WORKER, "cat", "/etc/os-release")
    hosts.within(WORKER, "sh", "-c", "cat >/etc/os-release", stdin="ID=gobolinux\nVERSION_ID=017\n")
    before = [_paths(host) for host in (CONTROL_PLANE, WORKER)]
    run = create(WORKERS[0], strangers=(STRANGER,))
    assert [_paths(host) for host in (CONTROL_PLANE, WORKER)] == before
    hosts.within(CONTROL_PLANE, "systemctl", "stop", "squatter")
    hosts.within(WORKER, "sh", "-c", "cat >/etc/os-release", stdin=release)
    yield run


def test_everything_that_is_wrong_with_hosts_is_told_at_once(told: running.Run) -> None:
    assert told.code != 0
    assert {host for host in told.failures() if host == "localhost"}
    for problem in (
        "test1: other processes listen on ports that the node needs: 10250",
        "test2: ",
        "gobolinux",
        "test3: cannot be reached",
        "test5: is in no instance group",
    ):
        assert told.output.count(problem) == 1
    assert not told.results("Make the machine equal to its NodeConfig")


# -- the converger dies ---------------------------------------------------------------------------------------------


def test_the_converger_may_be_killed_at_any_moment(killed: list[str], create: Create) -> None:
    print(f"\nkilled {len(killed)} times, so many seconds after it began: {' '.join(killed)}")
    assert len(killed) == KILLS
    finished = create()
    assert finished.code == 0, finished.output
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
    again = create()
    assert (again.code, again.changed) == (0, 0), again.output


# -- downloads ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alive(create: Create) -> None:
    """A cluster, and two fresh hosts that are to be workers of it."""
    if running.ready_nodes(CONTROL_PLANE) != [CONTROL_PLANE, WORKER]:
        run = create()
        assert run.code == 0, run.output
    hosts.remove(*WORKERS)
    for host in WORKERS:
        hosts.start(host)


def test_a_damaged_download_is_refused(alive: None, create: Create, files: Files) -> None:
    files.damaged = "runc.amd64"
    run = create(*WORKERS, **HASTY)
    files.damaged = ""
    assert run.code != 0
    failures = run.failures()
    for host in WORKERS:
        assert "download:runc cannot be downloaded" in failures[host]
        assert f"{files.url}/opencontainers/runc/" in failures[host]
        assert "the checksum is " in failures[host]
        assert "but must be " in failures[host]
        # Nothing was placed, and nothing damaged is kept.
        assert hosts.within(host, "find", BINARIES, "/usr/local/sbin", "/usr/sbin", "-name", "runc") == ""
        digests = hosts.within(host, "sh", "-c", f"cd {DOWNLOADS} && sha256sum *").split()
        assert digests[::2] == digests[1::2]


def test_a_full_disk_is_told_and_may_be_cleaned(alive: None, create: Create) -> None:
    full = dict(zip(WORKERS, (DOWNLOADS, BINARIES)))
    for host, path in full.items():
        hosts.within(host, "mkdir", "-p", path)
        hosts.within(host, "mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", path)
    run = create(*WORKERS, **HASTY)
    assert run.code != 0
    failures = run.failures()
    for host, path in full.items():
        assert "no space: " in failures[host]
        assert path in failures[host]
        assert "Traceback" not in failures[host]
        hosts.within(host, "umount", path)


@pytest.mark.long
def test_a_host_may_die_in_the_middle(alive: None, create: Create) -> None:
    """The others become nodes; when it is back, the next run makes it one, too."""
    staying, dying = WORKERS
    run = _killing(dying, lambda: create(*WORKERS, **HASTY))
    assert run.code != 0
    assert run.hosts[dying]["unreachable"] == 1
    assert run.hosts[staying]["failures"] == run.hosts[staying]["unreachable"] == 0
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER, staying]

    hosts.start(dying)
    rerun = create(*WORKERS)
    assert rerun.code == 0, rerun.output
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER, *WORKERS]
    again = create(*WORKERS)
    assert (again.code, again.changed) == (0, 0), again.output


@pytest.mark.long
def test_a_control_plane_that_dies_while_it_joins_holds_up_nobody(alive: None, site: Site, files: Files) -> None:
    """etcd adds one member at a time; a member that never started is removed for the next one."""
    dying, staying = NEWCOMERS
    for host in NEWCOMERS:
        hosts.start(host)
    site.control_planes, site.workers, site.others = [CONTROL_PLANE, *NEWCOMERS], [WORKER], []
    site.write(spec={"assets": {"fileRepository": files.url}})
    run = _killing(dying, lambda: site.create(**HASTY))
    assert run.code != 0
    assert run.hosts[dying]["unreachable"] == 1
    assert run.hosts[staying]["failures"] == run.hosts[staying]["unreachable"] == 0
    assert etcd.voters("main", CONTROL_PLANE) == ["a", "c"]

    hosts.start(dying)
    rerun = site.create()
    assert rerun.code == 0, rerun.output
    for name in ("main", "events"):
        assert etcd.voters(name, CONTROL_PLANE) == ["a", "b", "c"]
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def _killing(host: str, play: Callable[[], running.Run]) -> running.Run:
    """A run in the middle of which a host dies."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        going = pool.submit(play)
        while not going.done() and not _converges(host):
            time.sleep(0.1)
        assert not going.done(), going.result().output
        hosts.kill(host)
        begin = time.monotonic()
        run = going.result()
    print(f"\nthe run ended {time.monotonic() - begin:.0f} s after the host had died")
    return run


def _converges(host: str) -> bool:
    """Whether a converger works on the host."""
    words = f'read -r process <{LOCK} && grep -q node_converge "/proc/$process/cmdline" && echo yes'
    return "yes" in hosts.within(host, "sh", "-c", words, check=False)
