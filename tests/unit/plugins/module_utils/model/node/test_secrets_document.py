# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets documents that control planes make of the store's files: the same as the controller's."""

from __future__ import annotations

import base64
import datetime
import json

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.references import is_for_workers
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_config, node_secrets
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.keysets import location
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import (
    secrets_document,
    stored_references,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate

FACTS = {"NODE_NAME": "i-0123", "INTERNAL_IP": "10.0.0.9"}
FACTS.update({f"ETCD_{name}_MEMBER": member for name, member in (("MAIN", "a"), ("EVENTS", "b"), ("CILIUM", "c"))})
CASES = {
    "control plane": ("control-plane", {}),
    "worker": ("nodes", {}),
    "with logins": ("control-plane", {"secret_names": frozenset({"dockerconfig", "encryptionconfig"})}),
}
FIELDS = {
    "plain": {},
    "encrypted": {"encryptionConfig": True},
    "authenticator": {"authentication": {"aws": {}}},
    "kube-router": {"networking.kubeRouter": {}},
}
IDENTITIES = ("subject", "issuer", "type", "alternate_names", "key_length")


def files_of(stored) -> dict[str, bytes]:
    """The store's files below the cluster's directory."""
    files = {location(name): manifest.dump(keyset.to_api(name)).encode() for name, keyset in stored.keysets.items()}
    for name, value in stored.secrets.items():
        files[f"secrets/{name}"] = json.dumps({"Data": base64.b64encode(value).decode()}).encode()
    return files


def opened(document: dict[str, str]) -> dict[str, str]:
    return {name: base64.b64decode(content).decode() for name, content in document.items()}


def certificate_of(name: str, content: str) -> str:
    if name.startswith("kubeconfig/"):
        user = yaml.safe_load(content)["users"][0]["user"]
        return base64.b64decode(user["client-certificate-data"]).decode()
    return content


def without_keys(name: str, content: str) -> object:
    """What of an entry does not differ each time that it is issued."""
    if name.startswith("kubeconfig/"):
        parsed = yaml.safe_load(content)
        parsed["users"][0]["user"] = sorted(parsed["users"][0]["user"])
        return parsed
    if name.startswith("certificate/"):
        return content.count("-----BEGIN"), content.partition("-----END CERTIFICATE-----\n")[2]
    if "EC PRIVATE KEY" in content:
        return "a key of its own", content.count("\n")
    return content


def lifetime(facts) -> float:
    return (facts.not_after - facts.not_before).total_seconds()


@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize(("group", "more"), CASES.values(), ids=CASES)
def test_it_is_what_the_controller_makes(node_of, stored, fields, group, more) -> None:
    context = node_of(group, fields, **more)
    theirs = opened(node_secrets(context, stored, FACTS))
    ours = opened(secrets_document(node_config(context), files_of(stored).get, FACTS))
    assert ours.keys() == theirs.keys()
    for name, content in ours.items():
        assert without_keys(name, content) == without_keys(name, theirs[name]), name
        if name.startswith(("certificate/", "kubeconfig/")):
            mine, other = (read_certificate(certificate_of(name, each)) for each in (content, theirs[name]))
            assert [getattr(mine, each) for each in IDENTITIES] == [getattr(other, each) for each in IDENTITIES]
            assert lifetime(mine) == lifetime(other)


def test_in_a_cloud_too(node_of, stored) -> None:
    context = node_of("control-plane", on_metal=False)
    ours = secrets_document(node_config(context), files_of(stored).get, FACTS)
    assert ours.keys() == node_secrets(context, stored, FACTS).keys()


def reported(document: dict[str, str]) -> dict[str, dict]:
    """What a node with this document observes."""
    found: dict[str, dict] = {"certificates": {}, "kubeconfigs": {}}
    for name, content in opened(document).items():
        kind, _slash, of = name.partition("/")
        if kind in ("certificate", "kubeconfig"):
            found["certificates"][of] = certificate_of(name, content)
        if kind == "kubeconfig":
            cluster = yaml.safe_load(content)["clusters"][0]["cluster"]
            authorities = base64.b64decode(cluster["certificate-authority-data"]).decode()
            found["kubeconfigs"][of] = {"server": cluster["server"], "authorities": authorities}
    return found


def test_what_still_fits_is_not_issued_again(node_of, stored) -> None:
    config, read = node_config(node_of("control-plane")), files_of(stored).get
    first = secrets_document(config, read, FACTS)
    present = reported(first)
    assert secrets_document(config, read, FACTS, present).keys() == set(stored_references(config))
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=430)
    assert secrets_document(config, read, FACTS, present, later).keys() == first.keys()
    moved = reported(secrets_document(config, read, {**FACTS, "INTERNAL_IP": "10.0.0.10"}, present))
    assert moved["certificates"].keys() >= {"master", "kubelet-server", "etcd-main-server"}
    assert "kubelet" not in moved["certificates"]
    present["kubeconfigs"]["kubelet"]["server"] = "https://elsewhere"
    assert reported(secrets_document(config, read, FACTS, present))["kubeconfigs"].keys() == {"kubelet"}


def test_what_the_controller_issued_is_not_issued_again(node_of, stored) -> None:
    context = node_of("control-plane")
    config = node_config(context)
    present = reported(node_secrets(context, stored, FACTS))
    assert secrets_document(config, files_of(stored).get, FACTS, present).keys() == set(stored_references(config))


def test_workers_are_referred_to_nothing_that_signs(node_of) -> None:
    config = node_config(node_of("nodes", {"authentication": {"aws": {}}}, secret_names=frozenset({"dockerconfig"})))
    assert stored_references(config) == ["authority/kubernetes-ca", "secret/dockerconfig"]
    assert all(map(is_for_workers, stored_references(config)))
    control_plane = stored_references(node_config(node_of("control-plane", {"encryptionConfig": True})))
    refused = {name for name in control_plane if not is_for_workers(name)}
    assert refused == {
        *("key/kubernetes-ca", "key/service-account", "signer/kubernetes-ca", "secret/encryptionconfig"),
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pki/private/kubernetes-ca/keyset.yaml": None}, "no keyset kubernetes-ca"),
        ({"secrets/encryptionconfig": None}, "no secret encryptionconfig"),
        ({"secrets/encryptionconfig": b'{"Data": "!"}'}, "not a readable secret"),
        ({"secrets/encryptionconfig": b"[]"}, "not a readable secret"),
    ],
)
def test_what_is_missing_is_named(node_of, stored, change, said) -> None:
    config = node_config(node_of("control-plane", {"encryptionConfig": True}))
    with pytest.raises(KopsError, match=said):
        secrets_document(config, {**files_of(stored), **change}.get, FACTS)


def test_a_node_config_of_an_older_version_says_what_it_lacks(node_of, stored) -> None:
    config = node_config(node_of("nodes"))
    for item in config["certificates"]:
        del item["commonName"]
    with pytest.raises(KopsError, match="kubelet has no subject"):
        secrets_document(config, files_of(stored).get, FACTS)


def test_a_reference_that_is_not_known_is_named(node_of, stored) -> None:
    config = node_config(node_of("nodes"))
    config["files"].append({"path": "/x", "reference": "rubbish/x"})
    with pytest.raises(KopsError, match="'rubbish/x', which is not known"):
        secrets_document(config, files_of(stored).get, FACTS)
