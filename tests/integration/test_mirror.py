# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's images and files go to a mirror, to an archive and from there to another mirror: with real registries."""

from __future__ import annotations

import base64
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.assets import read_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.bundling import bundle_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.copying import copy_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.files import path_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.loading import load_bundle
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.publishers import ReadingOptions
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.sizes import with_sizes
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import Progress, silent
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.documented.runs import MIRROR, taken_by
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.lab import cluster
from ansible_collections.kubeops.kops.tests.support import registry
from ansible_collections.kubeops.kops.tests.support.registry import Registry

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("registry")]
ARCHITECTURES = ["amd64", "arm64"]
HOSTS = ("registry.k8s.io", "ghcr.io")
SITES = ("https://dl.k8s.io", "https://github.com")
# What pages say to type, in their order, and the cluster that they name. A new one has to be typed here, too.
_HEADS = tuple(f"playbooks/assets_{verb}.yml" for verb in ("bundle", "copy", "load"))
BUNDLE, LOAD, COPY_CHECK, COPY, BUNDLE_ALL, COPY_SET, LOAD_ALL = taken_by(
    MIRROR, "docs/air-gap.md", "docs/assets.md", *_HEADS
)
DOCUMENTED = "demo.example.com"
SHARED_LAYER = b"a layer that all images have" * 1000


class Published(http.server.SimpleHTTPRequestHandler):
    """Publishers' sites."""

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@dataclass
class World:
    """Publishers with all that a stored cluster needs, and an empty mirror."""

    store: str
    origin: Registry
    mirror: Registry
    sites: pathlib.Path
    files: pathlib.Path
    options: ReadingOptions
    assets: dict[str, Any]
    digests: dict[str, str]

    def copy(self, *, check: bool = False, progress: Progress = silent, **options: Any) -> Outcome:
        given = ReadingOptions(**{**vars(self.options), **options})
        return copy_assets(
            self.store,
            cluster.NAME,
            architectures=ARCHITECTURES,
            file_repository=f"file://{self.files}",
            options=given,
            check=check,
            progress=progress,
        )

    def bundle(
        self, path: pathlib.Path, *, check: bool = False, progress: Progress = silent, **options: Any
    ) -> Outcome:
        given = ReadingOptions(**{**vars(self.options), **options})
        return bundle_assets(
            self.store,
            cluster.NAME,
            str(path),
            architectures=ARCHITECTURES,
            options=given,
            check=check,
            progress=progress,
        )

    def load(self, path: pathlib.Path, **options: Any) -> Outcome:
        given = {"container_registry": f"{self.mirror.host}/kops", "file_repository": f"file://{self.files}"}
        return load_bundle(str(path), **{**given, "options": ReadingOptions(), **options})

    def site(self, url: str) -> pathlib.Path:
        """Where the file of a URL is published."""
        return self.sites / path_of(url)

    def check_mirror(self) -> None:
        """All is there, as another client and the file system see it."""
        for image in self.assets["images"]:
            place = image["download"]
            assert self.mirror.digest(place.partition("/")[2]) == self.digests[image["canonical"]]
        proxy = next(image["download"] for image in self.assets["images"] if "kube-proxy" in image["canonical"])
        self.mirror.crane("validate", "--remote", proxy)
        for file in self.assets["files"]:
            copied = self.files / path_of(file["canonical"])
            assert copied.read_bytes() == self.site(file["canonical"]).read_bytes()
            assert copied.stat().st_mode & 0o444 == 0o444
            checksum = copied.with_name(copied.name + ".sha256").read_text()
            assert checksum == hashlib.sha256(copied.read_bytes()).hexdigest()


@dataclass
class Publishers:
    """What publishers have: directories of a registry and of sites, and the digests of images."""

    registry: pathlib.Path
    sites: pathlib.Path
    digests: dict[str, str]


CNI_PLUGINS = "https://github.com/cni/plugins.tgz"
ENVIRONMENT = {
    "CNI_VERSION_URL": CNI_PLUGINS,
    "CNI_ASSET_HASH_STRING": hashlib.sha256(CNI_PLUGINS.encode()).hexdigest(),
}


@pytest.fixture(scope="module")
def publishers(tmp_path_factory: pytest.TempPathFactory) -> Publishers:
    """Made once; each test has a copy."""
    directory = tmp_path_factory.mktemp("publishers")
    _store_cluster(f"file://{directory}/store", "registry.example.com")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        assets = read_assets(f"file://{directory}/store", cluster.NAME, ARCHITECTURES)
    for file in assets["files"]:
        path = directory / "sites" / path_of(file["canonical"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file["canonical"].encode())
        path.with_name(path.name + ".sha256").write_text(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  x\n")
    with registry.running(directory / "registry") as origin:
        digests = {
            image["canonical"]: origin.push(
                image["canonical"].partition("/")[2],
                ["amd64"] if "pause" in image["canonical"] else [*ARCHITECTURES, "s390x"],
                [SHARED_LAYER],
            )
            for image in assets["images"]
        }
    return Publishers(directory / "registry", directory / "sites", digests)


@pytest.fixture
def world(publishers: Publishers, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    # Before the home directory, where the lab's cache is, becomes another one.
    registry.program("crane")
    for name in ("DOCKER_CONFIG", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "REGISTRY_AUTH_FILE", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(publishers.registry, tmp_path / "origin")
    shutil.copytree(publishers.sites, tmp_path / "sites")
    sites = tmp_path / "sites"
    serve = functools.partial(Published, directory=str(sites))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server,
        registry.running(tmp_path / "origin") as origin,
        registry.running(tmp_path / "mirror") as mirror,
    ):
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        store = f"file://{tmp_path / 'store'}"
        _store_cluster(store, f"{mirror.host}/kops")
        assets = read_assets(store, cluster.NAME, ARCHITECTURES)
        url = f"http://127.0.0.1:{server.server_port}"
        options = ReadingOptions(sources={**dict.fromkeys(HOSTS, origin.host), **dict.fromkeys(SITES, url)})
        digests = dict(publishers.digests)
        yield World(store, origin, mirror, sites, tmp_path / "files", options, assets, digests)
        server.shutdown()


def _store_cluster(store: str, container_registry: str, name: str = cluster.NAME) -> None:
    found = ClusterStore.open(store, name)
    assets = {"containerRegistry": container_registry, "fileRepository": "https://files.example.com/"}
    stored, *groups = manifest.load(cluster.manifest(name, spec={"assets": assets}))
    found.write_cluster(stored)
    for group in groups:
        found.write_group(group)


def states(outcome: Outcome) -> set[str]:
    return {row["state"] for kind in ("images", "files") for row in outcome.values[kind]}


def test_a_mirror_is_filled_once(world: World) -> None:
    planned = world.copy(check=True)
    assert planned.changed and states(planned) == {"copied"}
    assert world.mirror.writes() == []
    assert not world.files.exists()

    done = world.copy()
    assert not done.failure
    assert done.values == planned.values
    world.check_mirror()
    # All images have this layer: it is sent once, then mounted.
    shared = registry.blob_of(SHARED_LAYER)
    sent = [request for request in world.mirror.writes() if request.startswith("PUT") and shared in request]
    assert len(sent) == 1

    writes = world.mirror.writes()
    for check in (True, False):
        again = world.copy(check=check)
        assert not again.changed and states(again) == {"present"}
    assert world.mirror.writes() == writes


def test_what_has_changed_is_copied(world: World) -> None:
    world.copy()
    image, *_others = (each for each in world.assets["images"] if "kube-proxy" in each["canonical"])
    name = image["canonical"].partition("/")[2]
    world.digests[image["canonical"]] = world.origin.push(name, ["amd64", "arm64"], [b"another layer"])
    kubelet = next(file for file in world.assets["files"] if file["kind"] == "kubelet")
    (world.files / path_of(kubelet["canonical"])).write_bytes(b"damaged")
    for check in (True, False):
        outcome = world.copy(check=check)
        copied = [
            row["canonical"] for kind in ("images", "files") for row in outcome.values[kind] if row["state"] == "copied"
        ]
        assert copied == [image["canonical"], kubelet["canonical"]]
    world.check_mirror()


def test_sizes(world: World) -> None:
    sized = with_sizes(world.assets, world.options)
    assert not sized["warnings"]
    for file in sized["files"]:
        assert file["size"] == world.site(file["canonical"]).stat().st_size
    proxy = next(image for image in sized["images"] if "kube-proxy" in image["canonical"])
    index = world.origin.crane("manifest", f"{world.origin.host}/{proxy['canonical'].partition('/')[2]}")
    parts = [entry["size"] for entry in json.loads(index)["manifests"]]
    assert proxy["size"] > len(index) + sum(parts)
    less = with_sizes(world.assets, ReadingOptions(world.options.sources, all_architectures=False))
    assert next(image["size"] for image in less["images"] if image["canonical"] == proxy["canonical"]) < proxy["size"]
    # Nobody answers there.
    mute = with_sizes(
        world.assets, ReadingOptions({**world.options.sources, "https://dl.k8s.io": "http://127.0.0.1:9"})
    )
    assert {file["size"] for file in mute["files"] if "dl.k8s.io" in file["canonical"]} == {None}
    assert any("dl.k8s.io" in warning and "refused" in warning for warning in mute["warnings"])


def test_images_for_the_architectures_of_the_cluster(world: World) -> None:
    first = world.copy(all_architectures=False)
    assert first.changed and not first.failure
    proxy = next(image["download"] for image in world.assets["images"] if "kube-proxy" in image["canonical"])
    entries = json.loads(world.mirror.crane("manifest", proxy))["manifests"]
    assert [entry["platform"]["architecture"] for entry in entries] == ARCHITECTURES
    world.mirror.crane("validate", "--remote", proxy)
    assert not world.copy(all_architectures=False).changed
    assert world.copy(check=True).changed


def test_what_fails_is_named_and_the_rest_is_copied(world: World) -> None:
    kubelet = next(file for file in world.assets["files"] if file["kind"] == "kubelet")
    good = world.site(kubelet["canonical"]).read_bytes()
    world.site(kubelet["canonical"]).write_bytes(b"wrong")
    missing = next(image["canonical"] for image in world.assets["images"] if "coredns" in image["canonical"])
    name, _colon, tag = missing.partition("/")[2].rpartition(":")
    tag_file = world.origin.directory / f"data/docker/registry/v2/repositories/{name}/_manifests/tags/{tag}"
    tag_file.rename(tag_file.with_name("elsewhere"))
    outcome = world.copy()
    # Those of all architectures at one URL are one file.
    count = len({each["canonical"] for each in [*world.assets["images"], *world.assets["files"]]})
    assert f"2 of {count} images and files could not be copied" in outcome.failure
    wrong = hashlib.sha256(b"wrong").hexdigest()
    assert f"- {kubelet['download']}: its SHA-256 is {wrong} (5 bytes), but " in outcome.failure
    place = next(image["download"] for image in world.assets["images"] if image["canonical"] == missing)
    assert f"- {place}: {world.origin.host}/{name}:{tag} does not exist" in outcome.failure
    assert outcome.changed

    tag_file.with_name("elsewhere").rename(tag_file)
    world.site(kubelet["canonical"]).write_bytes(good)
    rest = world.copy()
    assert not rest.failure
    copied = [row["canonical"] for kind in ("images", "files") for row in rest.values[kind] if row["state"] == "copied"]
    assert copied == [missing, kubelet["canonical"]]
    world.check_mirror()


def test_a_run_that_was_killed_is_continued(world: World) -> None:
    """Killed after a few lines of progress: what they tell of is not copied again."""
    lines = ["."]

    def die(line: str) -> None:
        lines.append(line)
        if len(lines) > 4:
            os._exit(9)

    process = os.fork()
    if not process:
        try:
            world.copy(progress=die)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
    # An image has its name last.
    done_before = {request for request in world.mirror.writes() if re.search("/manifests/(?!sha256:)", request)}
    assert done_before
    writes = len(world.mirror.writes())
    rest = world.copy()
    assert not rest.failure
    assert "present" in states(rest)
    assert not done_before & set(world.mirror.writes()[writes:])
    world.check_mirror()


def test_a_registry_with_logins(world: World, tmp_path: pathlib.Path) -> None:
    logins = tmp_path / "auth.json"

    def log_in(password: str) -> None:
        text = base64.b64encode(f"{registry.USER}:{password}".encode()).decode()
        logins.write_text(json.dumps({"auths": {guarded.host: {"auth": text}}}))

    with registry.running(tmp_path / "guarded", password=True) as guarded:
        _store_cluster(world.store, guarded.host)
        refused = world.copy()
        assert f"{guarded.host}/kube-proxy:v" in refused.failure
        assert f"401 Unauthorized; there is no login for {guarded.host}" in refused.failure
        log_in("wrong")
        wrong = world.copy(auth_file=str(logins))
        assert f"{guarded.host}/kube-proxy:v" in wrong.failure
        assert "401 Unauthorized" in wrong.failure and "no login" not in wrong.failure
        assert "wrong" not in str(wrong)
        log_in(registry.PASSWORD)
        done = world.copy(auth_file=str(logins))
        assert not done.failure
        assert {row["state"] for row in done.values["images"]} == {"copied"}
        assert {row["state"] for row in done.values["files"]} == {"present"}


def test_a_bundle_is_made_once_and_always_the_same(world: World, tmp_path: pathlib.Path) -> None:
    archive, other = tmp_path / "one.tar", tmp_path / "other.tar"
    assert world.bundle(archive, check=True).changed
    assert not archive.exists()
    made = world.bundle(archive)
    assert made.changed
    assert made.values["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    written = archive.stat().st_mtime_ns
    for check in (True, False):
        again = world.bundle(archive, check=check)
        assert not again.changed
        assert again.values == made.values
    assert archive.stat().st_mtime_ns == written
    world.bundle(other)
    assert other.read_bytes() == archive.read_bytes()
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(("one", "other"))} == {
        "one.tar",
        "other.tar",
    }


def test_a_bundle_is_loaded_into_a_mirror(world: World, tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "bundle.tar"
    sha256 = world.bundle(archive).values["sha256"]
    planned = world.load(archive, check=True)
    assert planned.changed and states(planned) == {"copied"}
    assert world.mirror.writes() == []
    assert not world.files.exists()
    done = world.load(archive, sha256=sha256)
    assert not done.failure
    assert done.values == planned.values
    world.check_mirror()
    again = world.load(archive)
    assert not again.changed and states(again) == {"present"}
    # A cluster behind the mirror finds all that it asks for.
    assert not world.copy().changed


def test_a_bundle_is_an_oci_image_layout(world: World, tmp_path: pathlib.Path) -> None:
    archive, unpacked = tmp_path / "bundle.tar", tmp_path / "layout"
    world.bundle(archive)
    with tarfile.open(archive) as packed:
        assert packed.getnames()[0] == "assets.json"
        packed.extractall(unpacked, filter="data")
    entries = json.loads((unpacked / "index.json").read_text())["manifests"]
    named = {entry["annotations"]["io.containerd.image.name"]: entry["digest"] for entry in entries}
    assert named == world.digests
    world.mirror.crane("push", str(unpacked), "--index", f"{world.mirror.host}/whole:1")
    world.mirror.crane("validate", "--remote", f"{world.mirror.host}/whole:1")


@pytest.mark.parametrize("harm", ["flipped", "shortened", "other"])
def test_a_damaged_bundle_is_not_loaded(world: World, tmp_path: pathlib.Path, harm: str) -> None:
    archive = tmp_path / "bundle.tar"
    world.bundle(archive)
    data = bytearray(archive.read_bytes())
    at = data.index(b"https://dl.k8s.io", data.rindex(b"files/dl.k8s.io/release"))
    if harm == "flipped":
        data[at] ^= 1
    archive.write_bytes(data[: len(data) // 2] if harm == "shortened" else data)
    with pytest.raises(KopsError) as caught:
        world.load(archive, sha256="0" * 64 if harm == "other" else "")
    expected = {
        "flipped": "is damaged:\n- files/dl.k8s.io/",
        "shortened": str(archive),
        "other": f"but {'0' * 64} is expected",
    }
    assert expected[harm] in str(caught.value)
    assert world.mirror.writes() == []
    assert not world.files.exists()


def test_a_bundle_that_was_interrupted_goes_on(world: World, tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "bundle.tar"
    kubelet = next(file for file in world.assets["files"] if file["kind"] == "kubelet")
    good = world.site(kubelet["canonical"]).read_bytes()
    world.site(kubelet["canonical"]).write_bytes(b"wrong")
    with pytest.raises(KopsError, match="could not be read") as caught:
        world.bundle(archive)
    assert kubelet["canonical"] in str(caught.value)
    assert not archive.exists()
    world.site(kubelet["canonical"]).write_bytes(good)
    asked = len(world.origin.requests())
    world.bundle(archive)
    assert [request for request in world.origin.requests()[asked:] if "/blobs/" in request] == []
    assert not world.load(archive).failure
    world.check_mirror()


def test_a_bundle_is_written_by_one_run_at_a_time(world: World, tmp_path: pathlib.Path) -> None:
    archive, refused = tmp_path / "bundle.tar", []

    def another(_line: str) -> None:
        """The first run has got a part of it."""
        if not refused:
            with pytest.raises(KopsError, match="another run writes this archive") as caught:
                world.bundle(archive)
            refused.append(caught.value)
            assert world.bundle(archive, check=True).changed

    made = world.bundle(archive, progress=another)
    assert len(refused) == 1
    assert made.values["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert not world.load(archive).failure
    assert not world.bundle(archive).changed
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("bundle")] == ["bundle.tar"]


def test_a_newer_bundle_takes_what_the_older_one_has(world: World, tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "bundle.tar"
    world.bundle(archive)
    image, *_others = (each for each in world.assets["images"] if "kube-proxy" in each["canonical"])
    name = image["canonical"].partition("/")[2]
    world.digests[image["canonical"]] = world.origin.push(name, ["amd64"], [SHARED_LAYER, b"new"])
    asked = len(world.origin.requests())
    assert world.bundle(archive).changed
    read = [request for request in world.origin.requests()[asked:] if "/blobs/" in request]
    # The layer of the architecture is as it was.
    assert sorted(
        request.startswith(f"GET /v2/kube-proxy/blobs/sha256:{registry.blob_of(b'new')}") for request in read
    ) == [False, True]
    assert not world.load(archive).failure
    world.check_mirror()


@dataclass
class User:
    """Who types the commands of pages. Their registry is the mirror, and their directories are below this one.

    The inventory has what a user's publishers and mirror are.
    """

    world: World
    directory: pathlib.Path
    patch: pytest.MonkeyPatch

    def __post_init__(self) -> None:
        _store_cluster(self.world.store, f"{self.world.mirror.host}/kops", DOCUMENTED)
        for name in ("nothing", "srv", "media"):
            (self.directory / name).mkdir()
        self.patch.setenv("KOPS_STATE_STORE", self.world.store)
        self.patch.setenv("KOPS_CLUSTER_NAME", DOCUMENTED)
        self.patch.setenv("ANSIBLE_INVENTORY", str(self.directory / "hosts.json"))
        self.patch.setenv("ANSIBLE_DIFF_ALWAYS", "true")

    def type(self, command: Command, *, expect: int = 0, sha256: str = "", **variables: Any) -> str:
        """Type a command, where the inventory has these variables. sha256: for the three dots of a page."""
        given = {"kops_sources": self.world.options.sources, **variables}
        hosts = {"all": {"hosts": {"localhost": {"ansible_connection": "local"}}, "vars": given}}
        (self.directory / "hosts.json").write_text(json.dumps(hosts))
        words = [
            re.sub("(?<![a-z])/(srv|media)/", rf"{self.directory}/\1/", word)
            .replace("registry.internal:5000", self.world.mirror.host)
            .replace("registry.example.com", self.world.mirror.host)
            .replace("=...", f"={sha256}")
            for word in command.words
        ]
        return run_ansible(*words, directory=self.directory, expect=expect)


@pytest.fixture
def user(world: World, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> User:
    return User(world, tmp_path, monkeypatch)


def test_a_mirror_is_filled_as_the_page_says(user: User, world: World) -> None:
    """Once; errors name each image and file."""
    variables: dict[str, Any] = {
        "kops_architectures": ARCHITECTURES,
        "kops_file_repository": f"file://{world.files}",
        "kops_plain_http": "",
        "kops_image_architectures": "",
        "kops_registry_auth_file": "",
    }
    proxy = next(image["download"] for image in world.assets["images"] if "kube-proxy" in image["canonical"])
    planned = user.type(COPY_CHECK, **variables)
    assert f"  {proxy}: would be copied\n" in planned
    assert re.search(r"changed=1 ", planned)
    kubelet = next(file for file in world.assets["files"] if file["kind"] == "kubelet")
    good = world.site(kubelet["canonical"]).read_bytes()
    world.site(kubelet["canonical"]).write_bytes(b"wrong")
    failed = " ".join(user.type(COPY, expect=2, **variables).split())
    assert "1 of 18 images and files could not be copied" in failed
    assert f"{kubelet['download']}: its SHA-256 is" in failed
    world.site(kubelet["canonical"]).write_bytes(good)
    rest = user.type(COPY, **variables)
    assert rest.count(": copied\n") == 1
    assert re.search(r"changed=0 ", user.type(COPY_SET, **variables))
    world.check_mirror()
    sized = run_ansible(
        "ansible-playbook", "kubeops.kops.assets", "-e", "kops_sizes=true", "-e", "kops_file_repository="
    )
    assert re.search(rf"{re.escape(proxy)}  [\d.]+ (KB|Bytes)\n", sized)


def test_an_air_gap_is_crossed_as_the_page_says(user: User, world: World) -> None:
    written = user.type(BUNDLE)
    archive = user.directory / "srv" / "demo.tar"
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert sha256 in written
    shutil.copy(archive, user.directory / "media")
    wrong = user.type(LOAD, sha256="0" * 64, expect=2)
    assert sha256 in wrong
    assert world.mirror.writes() == []

    assert re.search(r"changed=1 ", user.type(LOAD, sha256=sha256))
    for image in world.assets["images"]:
        world.mirror.crane("validate", "--remote", image["download"])
    copied = user.directory / "srv" / "www" / "mirror"
    files = [file for file in world.assets["files"] if "arm64" not in file["canonical"]]
    assert files
    for file in files:
        assert (copied / path_of(file["canonical"])).read_bytes() == world.site(file["canonical"]).read_bytes()
    assert re.search(r"changed=0 ", user.type(LOAD, sha256=sha256))
    # Another archive, of the images of all architectures, into another directory, without a checksum.
    assert re.search(r"changed=1 ", user.type(BUNDLE_ALL))
    assert re.search(r"changed=1 ", user.type(LOAD_ALL))
    assert all((user.directory / "srv" / "mirror" / path_of(file["canonical"])).exists() for file in files)
