# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rotation that is killed at any moment leaves no node that others do not trust, and the next run completes it."""

from __future__ import annotations

import datetime
import json
import pathlib
from collections.abc import Mapping

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import silent
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.keys import (
    DISTRUST,
    Keys,
    Wish,
    made_at,
    moment,
    names_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.nodes import CloudNodes, Seen
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.steps import Rotation, rotate, writer
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset, KeysetItem
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
# Pods depend on neither, and control planes have both.
NAMES = ("apiserver-aggregator-ca", "etcd-clients-ca")
NOW = datetime.datetime(2026, 5, 8, 12, tzinfo=datetime.timezone.utc)


class Killed(BaseException):
    """As by a signal."""


class Fleet:
    """Three control planes that read the store when they start. countdown: events until it is killed."""

    def __init__(self, store: ClusterStore, countdown: int = -1) -> None:
        self.store, self.countdown = store, countdown
        self.instances = {f"i-{number}": self.started() for number in range(3)}

    def started(self) -> dict[str, list[str]]:
        return {name: self.store.keysets.get(name).used_ids() for name in NAMES}

    def event(self) -> None:
        """Something has happened; nobody may have lost anybody by it."""
        for shown in self.instances.values():
            for asked in self.instances.values():
                for name in NAMES:
                    assert shown[name][0] in asked[name], (name, self.instances)
        self.countdown -= 1
        if self.countdown == 0:
            raise Killed

    def see(self) -> Mapping[str, Seen]:
        boots = {name: json.dumps({"role": "ControlPlane", "keysets": each}) for name, each in self.instances.items()}
        text = "cat > /etc/kubeops/boot.json << '__EOF_BOOT'\n{}\n__EOF_BOOT\n"
        return {name: Seen("ControlPlane", text.format(boot)) for name, boot in boots.items()}

    def settle(self, nodes: CloudNodes) -> None:
        for name in list(self.instances):
            if self.instances[name] != self.started():
                self.instances[name] = self.started()
                self.event()
        nodes.look()

    def rotate(self, before: datetime.datetime | None) -> Rotation:
        wish = Wish(frozenset(NAMES), before)
        keys = Keys.read(self.store, wish, encrypts=False)
        nodes = CloudNodes(self.see, no_api)
        nodes.look()
        put = writer(self.store, StoreOptions(""))

        def write(keys: Keys, changed: dict[str, Keyset], encryption: None) -> None:
            for name, keyset in changed.items():
                put(keys, {name: keyset}, None)
                self.event()

        return rotate(keys, wish, nodes, write, lambda: self.settle(nodes), silent)


def no_api() -> KubernetesClient:
    raise AssertionError("nobody depends on these keys but nodes")


@pytest.fixture
def store(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ClusterStore:
    # Keys are made beforehand, as that takes nearly all of the time.
    pairs = [pki.issue(pki.CertificateRequest("ca", pki.Subject(name))) for name in NAMES]
    url = f"file://{tmp_path}"
    wanted = {"cloud": "metal", "zones": ["main"], "networking": "flannel", "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, **wanted}, check_mode=False)
    found = ClusterStore.open(url, NAME)
    for name, pair in zip(NAMES, pairs):
        keyset = Keyset()
        keyset.add(pair, primary=True)
        found.keysets.store(name, keyset)
    return found


@pytest.fixture(autouse=True)
def small_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")


def test_it_may_be_killed_after_each_event(store: ClusterStore) -> None:
    before = datetime.datetime.now(datetime.timezone.utc)
    fleet, kills = Fleet(store), 0
    # Killed again and again, with one event between two kills.
    while True:
        fleet.countdown = 1
        try:
            done = fleet.rotate(before if kills == 0 else None)
        except Killed:
            kills += 1
            # What has not been begun when the first run was killed, begins only if it is asked for.
            if kills == 1:
                fleet.countdown = 2
                with pytest.raises(Killed):
                    fleet.rotate(before)
            continue
        break
    assert (done.lines, done.stopped) == ([], [])
    # Two keysets in three steps, and three nodes after each: no step was done twice.
    assert kills >= 6
    for name in NAMES:
        keyset = store.keysets.get(name)
        assert [item.distrusted is None for item in keyset.sorted_items] == [False, True]
        assert keyset.primary is keyset.sorted_items[-1]
    assert all(each == fleet.started() for each in fleet.instances.values())
    assert fleet.rotate(before).lines == []


def test_an_instance_of_which_nothing_is_known_stops_it(store: ClusterStore) -> None:
    wish = Wish(frozenset(NAMES), datetime.datetime.now(datetime.timezone.utc), until="promoted")
    keys = Keys.read(store, wish, encrypts=False)
    nodes = CloudNodes(lambda: {"i-0": Seen("ControlPlane", "of kops"), "i-1": Seen("Bastion")}, no_api)
    nodes.look()
    put = writer(store, StoreOptions(""))
    stopped = rotate(keys, wish, nodes, put, lambda: None, silent).stopped
    assert stopped[0] == "it is not known which keys these instances have: i-0"
    assert {len(store.keysets.get(name).trusted) for name in NAMES} == {2}


def test_another_process_is_not_overwritten(store: ClusterStore) -> None:
    wish = Wish(frozenset(NAMES), NOW + datetime.timedelta(days=36500))
    keys = Keys.read(store, wish, encrypts=False)
    other = store.keysets.get(NAMES[0])
    other.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("x"))), primary=False)
    store.keysets.store(NAMES[0], other)
    with pytest.raises(KopsError, match="was changed by another process meanwhile"):
        writer(store, StoreOptions(""))(keys, {NAMES[0]: keys.after(NAMES[0], "present")}, None)


def test_a_certificate_that_is_only_trusted_stays_so(store: ClusterStore) -> None:
    keyset = store.keysets.get(NAMES[0])
    pair = pki.issue(pki.CertificateRequest("ca", pki.Subject("friend")))
    keyset.add(pki.KeyPair(pair.certificate, ""), primary=False)
    store.keysets.store(NAMES[0], keyset)
    assert Keys.read(store, Wish(), encrypts=False).next_steps(Wish()) == {}


def test_names_that_are_not_there(store: ClusterStore) -> None:
    with pytest.raises(
        KopsError, match=r"no keys encryptionconfig, x that .* it has apiserver-aggregator-ca, etcd-cli"
    ):
        Keys.read(store, Wish(frozenset({"x", "encryptionconfig"})), encrypts=False)
    assert names_of(["all", "x"]) == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("90d", NOW - datetime.timedelta(days=90)),
        ("12h", NOW - datetime.timedelta(hours=12)),
        ("2026-05-08T11:00:00Z", NOW - datetime.timedelta(hours=1)),
        ("2026-05-08T13:00:00+02:00", NOW - datetime.timedelta(hours=1)),
    ],
)
def test_moments(text: str, expected: datetime.datetime | None) -> None:
    assert moment(text, NOW) == expected


@pytest.mark.parametrize("text", ["0d", "90", "now", "2026-05-08T11:00:00", "2026-05-08T12:00:01Z"])
def test_moments_that_are_none(text: str) -> None:
    with pytest.raises(KopsError, match="before is"):
        moment(text, NOW)


def test_when_a_key_pair_was_made() -> None:
    nanoseconds = int(NOW.timestamp()) * 10**9
    assert made_at(KeysetItem(str(pki.build_serial(nanoseconds)))) == NOW
    own = pki.issue(pki.CertificateRequest("ca", pki.Subject("x"), serial=7)).certificate
    assert made_at(KeysetItem("7", own)) < datetime.datetime.now(datetime.timezone.utc)


def test_steps_beyond_the_last_one_are_not_taken() -> None:
    assert [Wish(until="promoted").allows("x", step) for step in ("present", "promoted", DISTRUST)] == [
        True,
        True,
        False,
    ]
    assert not Wish(frozenset({"y"})).allows("x", "present")
