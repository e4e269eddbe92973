# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A state store in OpenStack's own object store: what all stores do, and the life of a cluster."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openstack
import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import designate, kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.application_credential import (
    ApplicationCredential,
    credential_in,
    own_credentials,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.keystone import Login
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.swift import SwiftStore
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease, LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import Secrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import swift
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import (
    StoreError,
    VFSPath,
    WriteConflict,
    WriteUncertain,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.swift import SwiftPath
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.killable import Killable
from ansible_collections.kubeops.kops.tests.support.node_store_contract import CONTRACT, Place, names_are_all_of_them
from ansible_collections.kubeops.kops.tests.support.openstack import cloud
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import OpenStack
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.statestore.test_leases import take_turns
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.statestore.test_vfs import (  # noqa: F401  # pylint: disable=unused-import
    test_a_directory_is_no_file,
    test_a_missing_file_is_named,
    test_addresses,
    test_big_files_go_through_streams,
    test_creates_only_once,
    test_lists_a_tree,
    test_reads_what_was_written,
    test_removes,
    test_replaces_only_what_was_read,
)

pytestmark = pytest.mark.xdist_group("openstack")
NAME = "metal.example.com"
GIVEN = {"name": NAME, "cloud": "metal", "zones": ["main"], "networking": "cni"}
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStack]:
    """The services, with a user."""
    with cloud.running(tmp_path_factory.mktemp("openstack")) as found:
        yield found


@pytest.fixture(scope="module")
def login(services: OpenStack) -> dict[str, str]:
    """What a user of a project has in the environment."""
    return services.user("owner")


@pytest.fixture
def container(login: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a new, empty container; the environment is the user's."""
    use(login, monkeypatch)
    name = f"state-{next(_NUMBERS)}"
    openstack.connect().object_store.create_container(name)
    return name


@pytest.fixture
def url(container: str) -> str:
    """The address of a new, empty store."""
    return f"swift://{container}/clusters"


@pytest.fixture
def root(url: str) -> VFSPath:
    """The directory of a new, empty store."""
    return open_path(url)


def use(login: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith("OS_")]:
        monkeypatch.delenv(name)
    for name, value in {**login, "no_proxy": "*"}.items():
        monkeypatch.setenv(name, value)


def objects(container: str) -> list[str]:
    return [each.name for each in openstack.connect().object_store.objects(container)]


# -- the store --------------------------------------------------------------------------------------------------------


def test_of_many_who_take_a_lease_one_has_it(root: VFSPath) -> None:
    """Swift lets several create an object at once: so the record is read again."""
    held, together = threading.Semaphore(1), threading.Barrier(6)

    def take(number: int) -> bool:
        together.wait()
        try:
            with Lease(root.join("lease.json"), f"writer {number}", wait=0):
                assert held.acquire(blocking=False)
                together.wait(30)
                held.release()
        except LeaseHeld:
            together.wait(30)
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert [*pool.map(take, range(6))].count(True) == 1


@pytest.mark.long
def test_processes_never_interleave(url: str, root: VFSPath) -> None:
    take_turns(url, root, rounds=3)


@pytest.mark.parametrize("whole", [True, False])
def test_a_large_file_whose_request_breaks_off_is_not_cut(
    root: VFSPath, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    """What was read of a stream is not there for a second request: the token ends, and the SDK sends it again."""
    monkeypatch.setattr(swift, "_SMALL", 1 << 10)
    path, content = root.join("backup"), os.urandom(1 << 16)
    path.write(b"before")
    send, refused = requests.Session.send, []

    def refuse(session: requests.Session, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        answer = send(session, request, **options)
        if request.method == "PUT" and not refused and not whole:
            refused.append(request.url)
            answer.status_code = 401
        return answer

    monkeypatch.setattr(requests.Session, "send", refuse)
    if whole:
        path.upload(io.BytesIO(content))
        assert path.read() == content
        return
    with pytest.raises(StoreError, match="did not arrive as it was sent, and was removed; run again"):
        path.upload(io.BytesIO(content))
    with pytest.raises(FileNotFoundError):
        path.read()


def test_a_download_that_breaks_off_is_an_error(root: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root.join("backup")
    path.write(b"content")

    def broken(_answer: requests.Response, _size: int) -> Iterator[bytes]:
        yield b"con"
        raise requests.exceptions.ChunkedEncodingError("the connection broke off")

    monkeypatch.setattr(requests.Response, "iter_content", broken)
    with pytest.raises(StoreError, match="cannot read swift://.*: the connection broke off; check the network"):
        path.download(io.BytesIO())


def test_without_the_library_it_says_what_to_install(root: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openstack", "keystoneauth1"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        StoreError, match="cannot read swift://.*: .* is missing: install it with 'pip install openstacksdk'"
    ):
        root.join("config").read()


def test_listings_have_pages(root: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{number:03}" for number in range(7)]
    for name in names:
        root.join("top", name).write(name.encode())
    ask, asked = requests.Session.request, []

    def small(session: requests.Session, method: str, url: str, **options: Any) -> requests.Response:
        if (options.get("params") or {}).get("format") == "json":
            options["params"] = {**options["params"], "limit": "3"}
            asked.append(url)
        return ask(session, method, url, **options)

    monkeypatch.setattr(requests.Session, "request", small)
    assert [each.name for each in root.join("top").list_tree()] == names
    assert len(asked) == 4


@pytest.mark.parametrize("is_new", [True, False], ids=["create", "replace"])
def test_the_answer_to_a_write_is_lost(root: VFSPath, monkeypatch: pytest.MonkeyPatch, is_new: bool) -> None:
    path = root.join("config")
    etag = "" if is_new else path.write(b"first")
    send, lost = requests.Session.send, []

    def lose(session: requests.Session, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        answer = send(session, request, **options)
        if request.method == "PUT" and not lost:
            lost.append(request.url)
            raise requests.ConnectionError("the answer is lost")
        return answer

    monkeypatch.setattr(requests.Session, "send", lose)
    monkeypatch.setattr(swift, "SETTLES", 10.0)
    path.write(b"second", if_none_match=is_new, if_match=etag or None)
    assert len(lost) == 1
    assert path.read() == b"second"


def test_a_replacement_that_takes_long_is_an_error(root: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root.join("config")
    etag = path.write(b"first")
    monkeypatch.setattr(swift, "SETTLES", 0.0)
    with pytest.raises(WriteUncertain, match="cannot be told: run again"):
        path.write(b"second", if_match=etag)
    assert path.write(b"third", if_none_match=False) == path.read_tagged()[1]
    with pytest.raises(WriteConflict, match="was changed meanwhile"):
        path.write(b"fourth", if_match=etag)


def test_a_token_that_ends_is_replaced(services: OpenStack, root: VFSPath, login: dict[str, str]) -> None:
    path = root.join("config")
    path.write(b"first")
    assert isinstance(root, SwiftPath)
    connection = root.container._connected("read").session
    headers = {"X-Subject-Token": connection.get_token(), "X-Auth-Token": connection.get_token()}
    requests.delete(f"{services.keystone.url}/auth/tokens", headers=headers, timeout=10)
    assert path.read() == b"first"


# -- what is wrong ----------------------------------------------------------------------------------------------------


def test_what_is_missing_is_named(
    services: OpenStack, login: dict[str, str], container: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match="does not exist; create it first: openstack container create nowhere"):
        open_path("swift://nowhere/a").write(b"x")
    with pytest.raises(StoreError, match="the container nowhere does not exist"):
        open_path("swift://nowhere/a").read()
    with pytest.raises(StoreError, match="the container nowhere does not exist"):
        open_path("swift://nowhere").list_tree()
    use({**login, "OS_PASSWORD": "wrong"}, monkeypatch)
    with pytest.raises(StoreError, match="does not accept the login .*: check what OS_AUTH_URL names"):
        open_path(f"swift://{container}/a").read()
    use({**login, "OS_AUTH_URL": "http://127.0.0.1:9/v3"}, monkeypatch)
    with pytest.raises(StoreError, match="cannot read swift://.*; check the network, proxies and the login"):
        open_path(f"swift://{container}/a").read()
    use({}, monkeypatch)
    with pytest.raises(StoreError, match="there is no login for OpenStack: set OS_CLOUD or OS_AUTH_URL"):
        open_path(f"swift://{container}/a").read()


def test_another_project_is_not_this_one(services: OpenStack, root: VFSPath, monkeypatch: pytest.MonkeyPatch) -> None:
    root.join("config").write(b"x")
    use(services.user("stranger"), monkeypatch)
    with pytest.raises(StoreError, match="does not exist"):
        open_path(root.path).join("config").read()


def test_public_files_need_a_container_that_all_may_read(root: VFSPath, container: str) -> None:
    path = root.join("openid", "v1", "jwks")
    assert isinstance(path, SwiftPath)
    with pytest.raises(StoreError, match=f'swift post {container} --read-acl ".r:\\*"'):
        path.write(b"{}", public=True)
    openstack.connect().object_store.post(f"/{container}", headers={"X-Container-Read": ".r:*"})
    path.write(b"{}", public=True)
    endpoint = openstack.connect().object_store.get_endpoint()
    assert requests.get(f"{endpoint}/{container}/{path.key}", timeout=10).content == b"{}"


def test_versioning_is_advised(root: VFSPath, container: str) -> None:
    (advice,) = root.advice()
    assert advice.endswith(f'swift post {container} --header "X-Versions-Enabled: true"')
    openstack.connect().object_store.post(f"/{container}", headers={"X-Versions-Enabled": "true"})
    assert root.advice() == []


# -- a cluster --------------------------------------------------------------------------------------------------------


@pytest.fixture
def module(url: str, tmp_path: Path) -> Callable[..., str]:
    def run(name: str, *options: str, **arguments: Any) -> str:
        given = {"name": NAME, "state_store": url, **arguments}
        command = ("ansible", "localhost", "-m", f"kubeops.kops.{name}", "-a", json.dumps(given), *options)
        output = run_ansible(*command, directory=tmp_path)
        assert "PRIVATE KEY" not in output and "testing" not in output
        return output

    return run


def test_modules_create_change_and_delete(module: Callable[..., str], container: str) -> None:
    options = {"cloud": "metal", "zones": ["main"], "networking": "cni"}
    assert "CHANGED" in module("create_cluster", "--check", **options)
    assert objects(container) == []
    assert "CHANGED" in module("create_cluster", **options)
    assert "CHANGED" in module("update_cluster", "--check")
    assert "CHANGED" in module("update_cluster")
    assert f"clusters/{NAME}/pki/private/kubernetes-ca/keyset.yaml" in objects(container)
    assert "SUCCESS" in module("update_cluster")
    assert "CHANGED" in module("delete_cluster", hosts_cleared=True)
    assert objects(container) == []


@pytest.mark.long
def test_two_writers(url: str, container: str) -> None:
    """One of them waits for the other, and then has nothing to do."""
    create_cluster({**GIVEN, "state_store": url}, check_mode=False)
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda _number: update_cluster(UpdateOptions(url, NAME)).changed, range(2))
        assert sorted(results) == [False, True]
    delete_cluster(DeleteOptions(url, NAME, hosts_cleared=True))
    assert objects(container) == []


@pytest.mark.long
def test_killed_between_writes_it_ends_in_the_same_cluster(url: str, container: str) -> None:
    """Each run is killed as soon as it has written or removed some objects."""
    given, place = {**GIVEN, "state_store": url}, {"state_store": url, "name": NAME}

    def names() -> set[str]:
        return {re.sub(r"[0-9a-f]{64}|[0-9a-f]{32}", "HASH", each) for each in objects(container)}

    def life(step: str, arguments: dict[str, Any]) -> int:
        """How often it was killed until it was done; the third run is left alone."""
        killed = 0
        while killed < 2 and _is_killed(container, step, arguments):
            killed += 1
        if killed == 2:
            process = Killable(step, arguments)
            process.go()
            process.changed()
        return killed

    create_cluster(given, check_mode=False)
    update_cluster(UpdateOptions(url, NAME))
    whole = names()
    assert life("delete", {**place, "hosts_cleared": True})
    assert objects(container) == []
    assert life("create", given)
    assert life("update", place)
    assert names() == whole
    assert not update_cluster(UpdateOptions(url, NAME)).changed


def _is_killed(container: str, step: str, arguments: dict[str, Any]) -> bool:
    process, done, store = Killable(step, arguments), threading.Event(), openstack.connect().object_store
    before = store.get(f"/{container}").text

    def watch() -> None:
        while not done.wait(0.005):
            if store.get(f"/{container}").text != before:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
                return

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        return process.was_killed()
    finally:
        done.set()
        watching.join()


# -- as nodes have it -------------------------------------------------------------------------------------------------


@pytest.fixture
def node_login(url: str, monkeypatch: pytest.MonkeyPatch) -> Login:
    """The login of a control plane: with an application credential that Keystone gives the user."""
    cluster = OpenStackCloud("", NAME)
    given = ApplicationCredential(NAME, base=f"{url}/secrets")
    given.prepare(cluster)
    assert given.find(cluster) is None
    given.create(cluster)
    credential = {"id": str(given.id), "secret": credential_of(url)}
    for name in [name for name in os.environ if name.startswith("OS_") and name not in ("OS_AUTH_URL",)]:
        monkeypatch.delenv(name)
    return Login(lambda: credential)


def credential_of(url: str) -> str:
    """The secret that the store has."""
    return credential_in(f"{url}/secrets")["secret"]


# One makes a thousand files.
LONG = {names_are_all_of_them: [pytest.mark.long]}


@pytest.mark.parametrize("check", [pytest.param(each, marks=LONG.get(each, ()), id=each.__name__) for each in CONTRACT])
def test_nodes_have_the_store_that_all_have(
    check: Callable[[Place], None],
    login: dict[str, str],
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    node_login = request.getfixturevalue("node_login")
    check(Place(SwiftStore(node_login), f"{url}/backups", tmp_path))
    # A token that ends is asked for again.
    node_login._token = "ended"
    assert SwiftStore(node_login).read(f"{url}/nothing") is None


def test_a_credential_whose_secret_was_lost_is_made_again(url: str) -> None:
    """The run was killed before it had stored it."""
    for base in (f"{url}/one", f"{url}/two"):
        cluster = OpenStackCloud("", NAME)
        ApplicationCredential(NAME, base=base).create(cluster)
        named = [each for each in own_credentials(cluster) if each["name"] == f"kubeops.kops {NAME} {cluster.project}"]
        assert [each["id"] for each in named] == [credential_in(base)["id"]]


def test_an_application_credential_makes_no_other_and_what_is_named_helps(
    url: str, login: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = OpenStackCloud("", NAME)
    ApplicationCredential(NAME, base=f"{url}/first").create(cluster)
    given = credential_in(f"{url}/first")
    for name in login:
        if name not in ("OS_AUTH_URL", "OS_REGION_NAME"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OS_AUTH_TYPE", "v3applicationcredential")
    monkeypatch.setenv("OS_APPLICATION_CREDENTIAL_ID", given["id"])
    monkeypatch.setenv("OS_APPLICATION_CREDENTIAL_SECRET", given["secret"])
    restricted = OpenStackCloud("", NAME)
    task = ApplicationCredential(NAME, base=f"{url}/second")
    with pytest.raises(KopsError, match="by kubeops.kops.secret as openstack-application-credential"):
        task.create(restricted)
    # As it is said, the user stores one.
    Secrets(open_path(f"{url}/second")).store("openstack-application-credential", json.dumps(given).encode())
    task.prepare(restricted)
    found = task.find(restricted)
    assert found is not None
    assert found.id == given["id"]


def test_services_that_a_cloud_need_not_have_are_not_missed(url: str, login: dict[str, str]) -> None:
    """Here are Keystone and Swift. Clusters without load balancers and names are planned and deleted all the same."""
    cluster = OpenStackCloud("", NAME)
    assert cluster.read(kinds.BALANCER) == designate.zones(cluster) == []
    with pytest.raises(KopsError, match="reading each network: the cloud's catalogue has no such service"):
        cluster.read(kinds.NETWORK)
    # Who wants one is told before anything is written.
    with pytest.raises(KopsError, match="asking Octavia for its versions: the cloud's catalogue has no such service"):
        assert Account.of(cluster).listeners_restrict
