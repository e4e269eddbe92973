# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step of a rotation that would cut off hosts or pods is refused before anything is written."""

from __future__ import annotations

import copy
import hashlib
import pathlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.tokens import key_id
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.expectation import expect
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.rotation import keys_hash
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.hosts import (
    HostRotation,
    HostSteps,
    take_host_steps,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.keys import Wish
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.keypairs import (
    KeypairOptions,
    KeypairResult,
    Nodes,
    change_keypairs,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import new_encryption_config
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
CA, SIGNER = "kubernetes-ca", "service-account"
HOSTS = ("cp1", "w1", "w2")
Step = Callable[..., KeypairResult]


@pytest.fixture
def store(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ClusterStore:
    """A state store with a cluster and two of its keysets."""
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")
    url = f"file://{tmp_path}"
    wanted = {"cloud": "metal", "zones": ["main"], "networking": "flannel", "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, **wanted}, check_mode=False)
    found = ClusterStore.open(url, NAME)
    for name in (CA, SIGNER):
        found.keysets.create(name, pki.CertificateRequest("ca", pki.Subject(name)))
    return found


@pytest.fixture
def step(store: ClusterStore, tmp_path: pathlib.Path) -> Step:
    """Function: a step on all keysets. hosts: as they are after the last update. Further arguments: of Nodes."""

    def run(state: str, hosts: dict[str, Any] | None = None, *, check: bool = False, **given: Any) -> KeypairResult:
        nodes = Nodes(hosts or {}, given.pop("pods", {}), **given)
        options = KeypairOptions("all", state)
        return change_keypairs(StoreOptions(f"file://{tmp_path}"), NAME, options, nodes=nodes, check=check)

    return run


def keysets(store: ClusterStore) -> dict[str, Keyset]:
    return store.keysets.list()


def observed(keysets: dict[str, Keyset], **more: Any) -> dict[str, Any]:
    """What a node says of itself that was made with these keysets."""
    authority, signer = keysets[CA], keysets[SIGNER]
    request = pki.CertificateRequest("client", pki.Subject("system:node:x"))
    assert signer.primary is not None
    return {
        "facts": {},
        "hash": "hash",
        "cluster": NAME,
        "certificates": {"kubelet": pki.issue(request, authority.signer()).certificate},
        "kubeconfigs": {"kubelet": {"server": "https://api", "authorities": authority.certificate_bundle()}},
        "authorities": {CA: [authority.certificate_bundle()], SIGNER: [signer.public_keys()]},
        "tokenKeys": [key_id(pki.public_key_pem(signer.primary.certificate))],
        **more,
    }


def hosts(keysets: dict[str, Keyset], **others: dict[str, Any]) -> dict[str, Any]:
    """Hosts by name; others: what those say that were made otherwise."""
    said = observed(keysets)
    return {name: {"groups": [], "observed": others.get(name, said)} for name in HOSTS}


def pods(keysets: dict[str, Keyset], outdated: Sequence[str] = (), **token_keys: str) -> dict[str, Any]:
    names = [{"name": name, "node": "w1"} for name in outdated]
    return {"recorded": keys_hash(keysets), "outdated": names, "token_keys": token_keys}


def updated(store: ClusterStore) -> dict[str, Any]:
    """Arguments of a step after a complete update and rolling update."""
    found = keysets(store)
    return {"hosts": hosts(found), "pods": pods(found)}


def refusal(store: ClusterStore, step: Step, state: str, **given: Any) -> str:
    """What a refused step says. Nothing is written, and check mode says the same."""
    before = {name: keyset.to_api(name) for name, keyset in keysets(store).items()}
    with pytest.raises(KopsError) as caught:
        step(state, **given)
    with pytest.raises(KopsError) as checked:
        step(state, check=True, **given)
    assert {name: keyset.to_api(name) for name, keyset in keysets(store).items()} == before
    # Ids of key pairs that are only made now differ.
    assert str(checked.value).splitlines()[0] == str(caught.value).splitlines()[0]
    return str(caught.value)


def test_a_rotation_in_its_order_is_not_refused(store: ClusterStore, step: Step) -> None:
    assert step("present").needs_nodes is False
    for state in ("promoted", "distrusted"):
        result = step(state, **updated(store))
        assert (result.changed, result.needs_nodes, len(result.actions)) == (True, True, 2)
        assert not step(state, **updated(store)).changed
    assert [item.distrusted is None for item in keysets(store)[CA].sorted_items] == [False, True]


def test_a_key_pair_that_another_user_adds_meanwhile_is_checked(
    store: ClusterStore, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    step("present")
    given = updated(store)
    lease = ClusterStore.lease

    def late(self: ClusterStore, *args: Any, **more: Any) -> Any:
        found = keysets(store)[CA]
        found.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("later"))), primary=False)
        store.keysets.store(CA, found)
        return lease(self, *args, **more)

    primary = keysets(store)[CA].primary
    monkeypatch.setattr(ClusterStore, "lease", late)
    with pytest.raises(KopsError, match=f"of keyset {CA} must be trusted before it signs"):
        step("promoted", **given)
    assert keysets(store)[CA].primary == primary


def test_another_ca_alone_waits_for_pods_as_well(store: ClusterStore, tmp_path: pathlib.Path) -> None:
    before, options = keysets(store), StoreOptions(f"file://{tmp_path}")
    change_keypairs(options, NAME, KeypairOptions(CA))
    found = keysets(store)
    nodes = Nodes(hosts(found), pods(before))
    with pytest.raises(KopsError, match="the control plane does not use the keys in the state store yet"):
        change_keypairs(options, NAME, KeypairOptions(CA, "promoted"), nodes=nodes)
    nodes = Nodes(hosts(found), pods(found))
    assert change_keypairs(options, NAME, KeypairOptions(CA, "promoted"), nodes=nodes).changed


def test_a_rotation_goes_on_when_the_hosts_have_taken_a_step_up(store: ClusterStore, tmp_path: pathlib.Path) -> None:
    rotation = HostRotation(StoreOptions(f"file://{tmp_path}"), NAME, Wish(before=datetime.now(timezone.utc)))

    def go_on(*, check: bool = False, **given: Any) -> HostSteps:
        known = {**updated(store), **given}
        return take_host_steps(replace(rotation, hosts=known["hosts"], pods=known["pods"]), check=check)

    planned = go_on(check=True)
    begun = go_on()
    assert (begun.changed, len(begun.lines)) == (True, 2)
    assert "host w1 has other key pairs of kubernetes-ca, service-account" in go_on(hosts=older(store)).left
    taken = [begun.lines]
    for _step in ("promoted", "distrusted"):
        # As long as one host lags behind, or pods do, nothing is written.
        before = {name: keyset.to_api(name) for name, keyset in keysets(store).items()}
        for lagging in ({"hosts": older(store)}, {"pods": pods(keysets(store), ["web/a"])}):
            waiting = go_on(**lagging)
            assert (waiting.changed, waiting.lines) == (False, []) or "hosts" not in lagging
            if "hosts" in lagging:
                assert waiting.left
                assert {name: keyset.to_api(name) for name, keyset in keysets(store).items()} == before
        done = go_on()
        taken.append(done.lines)
    # A pod that is older holds up no key that it does not depend on; both of these it does.
    assert [each for lines in taken for each in lines] == [each for each in planned.lines if "all nodes" not in each]
    ended = go_on()
    assert (ended.changed, ended.lines, ended.left) == (False, [], [])
    assert go_on(check=True).lines == []


def older(store: ClusterStore) -> dict[str, Any]:
    """Hosts of which w1 has not taken up the last step."""
    found = keysets(store)
    before = copy.deepcopy(found)
    for keyset in before.values():
        *_older, newest = keyset.sorted_items
        if len(keyset.items) > 1:
            del keyset.items[newest.id]
            keyset.primary = keyset.sorted_items[-1]
    return hosts(found, w1=observed(before))


def test_encrypted_objects_are_written_again_before_the_old_key_goes(
    store: ClusterStore, tmp_path: pathlib.Path
) -> None:
    cluster = store.read_cluster()
    cluster.spec.encryption_config = True
    store.write_cluster(cluster)
    first = re.sub(rb"key-\w+", b"key-20200508T120000Z", new_encryption_config())
    store.secrets.store("encryptionconfig", first)
    wish = Wish(frozenset({"encryptionconfig"}), datetime.now(timezone.utc))
    rotation = HostRotation(StoreOptions(f"file://{tmp_path}"), NAME, wish)

    def go_on(known: bytes | None, written_again: str = "", *, check: bool = False) -> HostSteps:
        said = observed(keysets(store), encryption=hashlib.sha256(known or b"").hexdigest())
        found = {"cp1": {"groups": [], "observed": said}}
        given = replace(rotation, hosts=found, pods=pods(keysets(store)), written_again=written_again)
        return take_host_steps(given, check=check)

    planned = [each for each in go_on(first, check=True).lines if "all nodes" not in each]
    assert go_on(first).lines == planned[:1]
    assert "have another encryption configuration: cp1" in go_on(first).left[0]
    assert go_on(store.secrets.find("encryptionconfig")).lines == planned[1:2]
    last = go_on(store.secrets.find("encryptionconfig"))
    assert (last.lines, last.rewrite) == ([], ["secrets"])
    assert go_on(store.secrets.find("encryptionconfig"), last.encryption).lines == planned[2:]
    assert (store.secrets.find("encryptionconfig") or b"").count(b"name: key-") == 1


def test_nothing_signs_before_all_trust_it(store: ClusterStore, step: Step) -> None:
    before = keysets(store)
    step("present")
    found = keysets(store)
    message = refusal(store, step, "promoted", hosts=hosts(found, w2=observed(before)), pods=pods(found))
    newest = {name: found[name].sorted_items[-1].id for name in found}
    assert "nothing was changed, because this step would cut off parts of cluster metal.example.com:" in message
    for name in (CA, SIGNER):
        assert f"key pair {newest[name]} of keyset {name} must be trusted before it signs" in message
    assert "do not trust it yet: w2; run kubeops.kops.update_cluster and kubeops.kops.rolling_update" in message


def test_nodes_of_another_state_store_are_told_as_such(store: ClusterStore, step: Step) -> None:
    step("present")
    found, others = keysets(store), {name: Keyset() for name in (CA, SIGNER)}
    for name, keyset in others.items():
        keyset.add(pki.issue(pki.CertificateRequest("ca", pki.Subject(name))), primary=True)
    message = refusal(store, step, "promoted", hosts=hosts(found, w1=observed(others)), pods=pods(found))
    assert "trust none of the CAs in this state store: w1; use the state store from which they were set up" in message
    assert "must be trusted before it signs" not in message


def test_a_kubeconfig_counts_as_well(store: ClusterStore, step: Step) -> None:
    before = keysets(store)
    step("present")
    found = keysets(store)
    behind = observed(found, kubeconfigs=observed(before)["kubeconfigs"])
    message = refusal(store, step, "promoted", hosts=hosts(found, cp1=behind), pods=pods(found))
    assert "of keyset kubernetes-ca" in message
    assert "of keyset service-account" not in message
    assert "yet: cp1;" in message


def test_nothing_is_distrusted_while_it_is_used(store: ClusterStore, step: Step) -> None:
    step("present")
    before = keysets(store)
    step("promoted", **updated(store))
    found = keysets(store)
    message = refusal(store, step, "distrusted", hosts=hosts(found, w1=observed(before)), pods=pods(found))
    oldest = {name: found[name].sorted_items[0].id for name in found}
    assert f"key pair {oldest[CA]} of keyset {CA} must not be in use" in message
    assert "these hosts still have certificates of it: w1; run" in message
    assert f"key pair {oldest[SIGNER]} of keyset {SIGNER} must not be in use" in message
    assert "these hosts still have pods with tokens of it: w1; run" in message


def test_pods_that_do_not_know_the_last_step_are_named(store: ClusterStore, step: Step) -> None:
    before = keysets(store)
    step("present")
    found = keysets(store)
    message = refusal(store, step, "promoted", hosts=hosts(found), pods=pods(found, ["web/a", "web/b"]))
    assert "these pods started before the last step, so they do not know its keys: web/a, web/b; run" in message
    message = refusal(store, step, "promoted", hosts=hosts(found), pods=pods(before))
    assert "the control plane does not use the keys in the state store yet; run" in message


def test_tokens_in_secrets_are_named(store: ClusterStore, step: Step) -> None:
    step("present")
    step("promoted", **updated(store))
    found = keysets(store)
    old = key_id(pki.public_key_pem(found[SIGNER].sorted_items[0].certificate))
    message = refusal(store, step, "distrusted", hosts=hosts(found), pods=pods(found, robot=old, other="another"))
    assert "has signed the tokens in these Secrets: robot; delete the Secrets and create them again" in message


def test_hosts_of_which_nothing_is_known_are_named(store: ClusterStore, step: Step) -> None:
    step("present")
    found = keysets(store)
    silent = {"unreachable": True, "msg": "no route to host"}
    half = observed(found, hash="")
    message = refusal(store, step, "promoted", hosts=hosts(found, w1=silent, w2=half), pods=pods(found))
    assert "w1: " in message
    assert "no route to host" in message
    assert "the last run on these hosts was not finished: w2; run" in message
    assert "not known without its hosts" in refusal(store, step, "promoted")


def test_nodes_that_the_run_leaves_out_are_named(store: ClusterStore, step: Step) -> None:
    """Their hosts would be cut off: kops_hosts, or the inventory, has only some of the cluster's."""
    step("present")
    found = keysets(store)
    some = {name: host for name, host in hosts(found).items() if name != "w2"}
    known = {**pods(found), "nodes": list(HOSTS)}
    message = refusal(store, step, "promoted", hosts=some, pods=known)
    assert "are none of the hosts of this run, so it is not known which key pairs they trust: w2; name" in message
    assert step("promoted", hosts=hosts(found), pods=known).actions


def test_a_step_may_be_forced(store: ClusterStore, step: Step) -> None:
    step("present")
    assert step("promoted", unchecked=True).changed


def test_hosts_that_are_no_nodes_yet_have_nothing_to_lose(store: ClusterStore, step: Step) -> None:
    step("present")
    fresh = {"facts": {}, "hash": "", "cluster": ""}
    assert step("promoted", {name: {"groups": [], "observed": fresh} for name in HOSTS}).changed


def test_validation_sees_a_node_that_does_not_trust_an_api_server(store: ClusterStore, tmp_path: pathlib.Path) -> None:
    before = keysets(store)
    after = keysets(store)
    subject = pki.Subject(CA, serial_number="2")
    after[CA].add(pki.issue(pki.CertificateRequest("ca", subject)), primary=True)
    serving = pki.issue(pki.CertificateRequest("server", pki.Subject("kubernetes-master")), after[CA].signer())
    control_plane = observed(after)
    control_plane["certificates"]["master"] = serving.certificate
    groups = {"cp1": "control-plane-main", "w1": "nodes-main", "w2": "nodes-main"}
    inventory = {
        name: {**each, "groups": [groups[name]]}
        for name, each in hosts(after, cp1=control_plane, w2=observed(before)).items()
    }
    assert expect(f"file://{tmp_path}", NAME, inventory)["hostFailures"] == [
        {
            "name": "w2",
            "problem": "kubeconfig kubelet of node w2 does not trust the certificate of the API server on cp1",
            "instance_group": "nodes-main",
        }
    ]
