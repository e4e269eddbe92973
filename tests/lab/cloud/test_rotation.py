# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All keys of three control planes and two workers are rotated while a user asks the API five times a second.

The user's kubeconfig is written again after each step. In each step the controller is killed once. The tests of this
file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import base64
import datetime
import json
import pathlib
import ssl
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import etcd, running
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
MARK = "kops.k8s.io/cordoned-for-update"
OPTIONS = {"networking": "flannel", "control_plane_count": 3, "node_count": 2}
WAITS = {"kops_validate_wait": 600, "kops_validate_interval": 3, "kops_validate_count": 1}
PER_SECOND = 5
# Of a step that replaces five nodes, as many requests may fail as a second takes; each was tried once.
MOST_FAILED = 5


class User:
    """Asks the API with a kubeconfig, which is read again each time."""

    def __init__(self, kubeconfig: pathlib.Path) -> None:
        self.kubeconfig = kubeconfig
        self.asked = 0
        self.failed: list[str] = []

    def ask(self, *, authorities: str = "", credentials: tuple[str, str] | None = None) -> None:
        """One request for all namespaces. Raises OSError if it fails. Arguments: instead of those of the kubeconfig."""
        found = yaml.safe_load(self.kubeconfig.read_text())
        cluster, user = found["clusters"][0]["cluster"], found["users"][0]["user"]
        trusted = authorities or base64.b64decode(cluster["certificate-authority-data"]).decode()
        # Of one reading, as the file is written again meanwhile.
        fields = (user["client-certificate-data"], user["client-key-data"])
        own = credentials or tuple(base64.b64decode(each).decode() for each in fields)
        tls = ssl.create_default_context(cadata=trusted)
        # The name under which the lab reaches the load balancer is not always in the certificate.
        tls.check_hostname = False
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("\n".join(own))
            file.flush()
            tls.load_cert_chain(file.name)
        with urllib.request.urlopen(f"{cluster['server']}/api/v1/namespaces", timeout=2, context=tls) as answer:
            assert json.load(answer)["kind"] == "NamespaceList"

    def certificate(self) -> str:
        """The client certificate."""
        user = yaml.safe_load(self.kubeconfig.read_text())["users"][0]["user"]
        return base64.b64decode(user["client-certificate-data"]).decode()

    def key(self) -> str:
        """Its key."""
        user = yaml.safe_load(self.kubeconfig.read_text())["users"][0]["user"]
        return base64.b64decode(user["client-key-data"]).decode()

    def authorities(self) -> str:
        """The CAs that it trusts."""
        cluster = yaml.safe_load(self.kubeconfig.read_text())["clusters"][0]["cluster"]
        return base64.b64decode(cluster["certificate-authority-data"]).decode()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Ask all the time."""
        ended = threading.Event()

        def ask() -> None:
            while not ended.is_set():
                due = time.monotonic() + 1 / PER_SECOND
                self.asked += 1
                try:
                    self.ask()
                except (OSError, ValueError, AssertionError) as error:
                    self.failed.append(f"{time.strftime('%T')} {error}")
                ended.wait(max(0.0, due - time.monotonic()))

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    made = new_site(OPTIONS, {"encryptionConfig": True})
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    made.kubectl("create", "secret", "generic", "marker", "--from-literal=it=lives")
    return made


@pytest.fixture(scope="module")
def user(site: CloudSite) -> User:
    path = site.directory / "kubeconfig"
    run = site.run("kubeconfig", kops_kubeconfig=str(path))
    assert run.code == 0, run.output
    made = User(path)
    made.ask()
    return made


@pytest.fixture(scope="module")
def first(user: User) -> dict[str, str]:
    """What the user had at the beginning."""
    return {"authorities": user.authorities(), "certificate": user.certificate(), "key": user.key()}


def marked(site: CloudSite) -> set[str]:
    return {name for name, node in site.nodes().items() if MARK in node["metadata"].get("annotations", {})}


def pods(site: CloudSite) -> set[str]:
    """The uids of pods with a token."""
    return {
        pod["metadata"]["uid"]
        for pod in site.objects("pods", "--all-namespaces")
        if any("projected" in volume for volume in pod["spec"].get("volumes", ()))
    }


def stored(site: CloudSite) -> bytes:
    """The secret as it is in etcd."""
    node = next(name for name in site.control_planes() if name in site.ready())
    return etcd.value("main", "/registry/secrets/default/marker", node, site.kubectl)


def step(site: CloudSite, user: User, state: str, killed_when: Callable[[], bool], **variables: Any) -> running.Run:
    """Go on until a step, killed once."""
    serials, before = set(site.serials().values()), pods(site)
    asked, failed = user.asked, len(user.failed)
    variables = {"kops_rotate_until": state, "kops_kubeconfig": str(user.kubeconfig), **WAITS, **variables}
    with user.working():
        started = time.monotonic()
        killed = site.run("rotate", killed_when=killed_when, **variables)
        assert killed.code == -9, killed.output
        first = time.monotonic() - started
        # What was begun is completed without being asked for again.
        variables.pop("kops_rotate_before", None)
        run = site.run("rotate", **variables)
        assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\n{state}: killed after {first:.0f} s, then {run.seconds:.0f} s;", end=" ")
    print(f"{len(user.failed) - failed} of {user.asked - asked} requests failed", *user.failed[failed:], sep="\n  ")
    print(run.output)
    assert not serials & set(site.serials().values())
    assert not before & pods(site)
    assert site.ready() == sorted(site.instances())
    assert len(user.failed) - failed <= MOST_FAILED, user.failed
    again = site.run("rotate", "--check", kops_rotate_until=state, **WAITS)
    assert (again.code, again.changed) == (0, 0), again.output
    return run


def test_new_keys_are_trusted(site: CloudSite, user: User, first: dict[str, str]) -> None:
    before = datetime.datetime.now(datetime.timezone.utc).isoformat()
    planned = site.run("rotate", "--check", kops_rotate_before=before, **WAITS)
    assert planned.code == 0, planned.output
    print(planned.output)
    steps = planned.results("Rotate the keys")["localhost"]["steps"]
    assert sum("all nodes take this up" in each for each in steps) == 3
    workers = set(site.workers())
    # In the middle of the workers.
    step(site, user, "present", lambda: bool(marked(site) & workers), kops_rotate_before=before)
    assert user.authorities().count("BEGIN CERTIFICATE") == 2


def test_new_keys_sign(site: CloudSite, user: User) -> None:
    servers = {site.serials()[name] for name in site.control_planes()}
    # In the middle of the control planes.
    step(site, user, "promoted", lambda: len(servers & set(site.serials().values())) == 1)
    assert b"k8s:enc:secretbox:v1:key-" in stored(site)


def test_old_keys_are_distrusted(site: CloudSite, user: User, first: dict[str, str]) -> None:
    was = stored(site)
    step(site, user, "distrusted", lambda: bool(marked(site)))
    assert user.authorities().count("BEGIN CERTIFICATE") == 1
    # It was encrypted again, with another key.
    assert stored(site).split(b":")[:5] != was.split(b":")[:5]
    assert (
        site.kubectl("get", "secret", "marker", "--output=jsonpath={.data.it}") == base64.b64encode(b"lives").decode()
    )
    with pytest.raises(urllib.error.HTTPError, match="401"):
        user.ask(credentials=(first["certificate"], first["key"]))
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        user.ask(authorities=first["authorities"])
    user.ask()
    valid = site.run("validate_cluster", kops_validate_wait=120)
    assert valid.code == 0, valid.output
    print(f"\nin all, {len(user.failed)} of {user.asked} requests failed", *user.failed, sep="\n  ")
