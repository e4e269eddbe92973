# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A NodeConfig as a whole, and the secrets document of a node: what is issued, when it is issued again."""

from __future__ import annotations

import base64
import datetime
import json

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.certificates import filled, validity
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import markers
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import Present, node_secrets
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.assets import (
    file_assets,
    with_known_checksums,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset

FACTS = {"NODE_NAME": "node-1", "INTERNAL_IP": "10.0.0.9"}
CONTROL_PLANE = {**FACTS, "ETCD_MAIN_MEMBER": "a", "ETCD_EVENTS_MEMBER": "b"}


@pytest.fixture(autouse=True)
def short_keys(monkeypatch):
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")


def opened(secrets):
    return {name: base64.b64decode(content).decode() for name, content in secrets.items()}


def certificates(secrets):
    """Certificates of a secrets document by the name under which a node reports them."""
    found = {}
    for name, content in opened(secrets).items():
        kind, _slash, of = name.partition("/")
        if kind == "certificate":
            found[of] = content
        elif kind == "kubeconfig":
            user = yaml.safe_load(content)["users"][0]["user"]
            found[of] = base64.b64decode(user["client-certificate-data"]).decode()
    return found


def present(secrets):
    """What a node with this secrets document reports."""
    kubeconfigs = {}
    for name, content in opened(secrets).items():
        if name.startswith("kubeconfig/"):
            cluster = yaml.safe_load(content)["clusters"][0]["cluster"]
            authorities = base64.b64decode(cluster["certificate-authority-data"]).decode()
            kubeconfigs[name.partition("/")[2]] = {"server": cluster["server"], "authorities": authorities}
    return Present(certificates(secrets), kubeconfigs)


@pytest.mark.parametrize("group", ["control-plane", "nodes"])
def test_configuration_is_plain_stable_and_without_keys(config_of, group):
    text = json.dumps(config_of(group), sort_keys=True)
    assert text == json.dumps(config_of(group), sort_keys=True)
    assert "PRIVATE KEY" not in text
    config = json.loads(text)
    assert (config["schema"], config["cluster"], config["architecture"]) == (1, "demo.example.com", "amd64")
    assert config["facts"] == sorted(markers({key: config[key] for key in config if key != "facts"}))


def test_labels_of_the_node_are_the_control_planes_to_set(config_of):
    labels = config_of(spec={"nodeLabels": {"a": "b"}})["nodeLabels"]
    assert labels == {"a": "b", "kops.k8s.io/instancegroup": "nodes", "node-role.kubernetes.io/node": ""}


@pytest.mark.parametrize("group", ["control-plane", "nodes"])
def test_secrets_are_what_the_configuration_refers_to(config_of, node_of, group, stored):
    wanted = {item["reference"] for item in config_of(group)["files"] if "reference" in item}
    assert node_secrets(node_of(group), stored, CONTROL_PLANE).keys() == wanted


def test_secret_files_are_for_root_alone(config_of):
    for item in config_of("control-plane")["files"]:
        if item.get("reference", "").startswith(("key/", "kubeconfig/", "secret/")):
            assert item["mode"] in ("0600", "0400"), item["path"]


def test_certificates_of_a_node(node_of, stored):
    issued = {name: read_certificate(pem) for name, pem in certificates(node_secrets(node_of(), stored, FACTS)).items()}
    assert issued.keys() == {"kubelet", "kubelet-server", "kube-proxy"}
    assert issued["kubelet"].subject == "o=system:nodes,cn=system:node:node-1"
    assert (issued["kubelet"].type, issued["kubelet-server"].type) == ("client", "server")
    assert issued["kubelet-server"].alternate_names == ["10.0.0.9", "node-1"]
    assert issued["kube-proxy"].issuer == "cn=kubernetes-ca"


def test_certificates_of_etcd_are_for_serving_and_calling(node_of, stored):
    issued = certificates(node_secrets(node_of("control-plane"), stored, CONTROL_PLANE))
    server, peer = (read_certificate(issued[f"etcd-events-{kind}"]) for kind in ("server", "peer"))
    assert (server.type, server.issuer) == ("clientServer", "cn=etcd-clients-ca")
    assert (peer.type, peer.issuer) == ("clientServer", "cn=etcd-peers-ca-events")
    assert peer.alternate_names == ["10.0.0.9", "b.events.etcd.internal.demo.example.com"]
    assert {"127.0.0.1", "localhost", "events.etcd.internal.demo.example.com"} <= set(server.alternate_names)


def test_the_api_server_is_known_by_every_name_and_brings_its_authority(node_of, keysets, stored):
    context = node_of("control-plane", {"api.additionalSANs": ["10.9.9.9"]}, api_addresses=("10.0.0.100",))
    chain = opened(node_secrets(context, stored, CONTROL_PLANE))["certificate/master"]
    assert set(read_certificate(chain).alternate_names) == {
        *("kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"),
        *("api.demo.example.com", "api.internal.demo.example.com", "10.9.9.9", "10.0.0.100", "100.64.0.1"),
        *("127.0.0.1", "10.0.0.9"),
    }
    assert chain.endswith(keysets["kubernetes-ca"].primary.certificate)


def test_what_still_fits_is_not_issued_again(node_of, stored):
    current = present(node_secrets(node_of(), stored, FACTS))
    assert node_secrets(node_of(), stored, FACTS, current).keys() == {"authority/kubernetes-ca"}


@pytest.mark.parametrize(
    ("facts", "days", "expected"),
    [
        ({"INTERNAL_IP": "10.0.0.10"}, 0, {"kubelet-server"}),
        ({"NODE_NAME": "node-2"}, 0, {"kubelet", "kubelet-server"}),
        ({}, 390, set()),
        ({}, 427, {"kubelet", "kubelet-server", "kube-proxy"}),
    ],
)
def test_what_fits_no_longer_or_ends_soon_is_issued_again(node_of, facts, days, expected, stored):
    current = present(node_secrets(node_of(), stored, FACTS))
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    again = certificates(node_secrets(node_of(), stored, {**FACTS, **facts}, current, now))
    assert again.keys() == expected


def test_a_new_authority_issues_everything_again(node_of, keysets, replaced, stored):
    current = present(node_secrets(node_of(), stored, FACTS))
    rotated = Keyset(dict(keysets["kubernetes-ca"].items), keysets["kubernetes-ca"].primary)
    rotated.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca", serial_number="2"))), primary=True)
    with_rotated = replaced(stored, keysets={**keysets, "kubernetes-ca": rotated})
    again = node_secrets(node_of(), with_rotated, FACTS, current)
    assert certificates(again).keys() == current.certificates.keys()
    assert opened(again)["authority/kubernetes-ca"].count("BEGIN CERTIFICATE") == 2


@pytest.mark.parametrize("group", ["control-plane", "nodes"])
def test_kubeconfigs_follow_the_trusted_authorities(node_of, keysets, replaced, stored, group):
    current = present(node_secrets(node_of(group), stored, CONTROL_PLANE))
    keyset = Keyset(dict(keysets["kubernetes-ca"].items), keysets["kubernetes-ca"].primary)
    keyset.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca", serial_number="2"))))
    with_second = replaced(stored, keysets={**keysets, "kubernetes-ca": keyset})
    again = node_secrets(node_of(group), with_second, CONTROL_PLANE, current)
    assert certificates(again).keys() == current.kubeconfigs.keys()
    for kubeconfig in present(again).kubeconfigs.values():
        assert kubeconfig["authorities"] == keyset.certificate_bundle()
    assert not certificates(node_secrets(node_of(group), with_second, CONTROL_PLANE, merged(current, present(again))))


def merged(before, after):
    return Present(
        {**before.certificates, **after.certificates},
        {**before.kubeconfigs, **after.kubeconfigs},
    )


def test_kubeconfigs_follow_the_address_of_the_api(node_of, stored):
    current = present(node_secrets(node_of(), stored, FACTS))
    moved = {name: {**each, "server": "https://elsewhere"} for name, each in current.kubeconfigs.items()}
    again = node_secrets(node_of(), stored, FACTS, Present(current.certificates, moved))
    assert certificates(again).keys() == current.kubeconfigs.keys()


def test_what_is_no_certificate_is_issued_again(node_of, stored):
    assert "certificate/kubelet-server" in node_secrets(
        node_of(), stored, FACTS, Present({"kubelet-server": "rubbish"})
    )


def test_a_missing_fact_is_named(node_of, stored):
    with pytest.raises(KopsError, match="INTERNAL_IP"):
        node_secrets(node_of(), stored, {"NODE_NAME": "node-1"})


def test_a_missing_keyset_is_named(node_of, replaced, stored):
    with pytest.raises(KopsError, match="no keyset kubernetes-ca"):
        node_secrets(node_of(), replaced(stored, keysets={}), FACTS)


def test_an_unknown_checksum_is_named(node_of):
    context = node_of(fields={"kubernetesVersion": "1.34.99"})
    with pytest.raises(KopsError, match=r"kubelet\.sha256 would say it"):
        with_known_checksums(file_assets(context.cluster, "amd64"))


def test_logins_to_registries_reach_the_node_as_a_secret(node_of, stored):
    context = node_of(secret_names=frozenset({"dockerconfig"}))
    assert "secret/dockerconfig" not in node_secrets(node_of(), stored, FACTS)
    assert opened(node_secrets(context, stored, FACTS))["secret/dockerconfig"] == "{}"


def test_validity_spreads_over_a_month_by_name():
    days = {validity(f"node-{number}").days for number in range(50)}
    assert min(days) >= 455 and max(days) < 485 and len(days) > 3
    assert validity("") == datetime.timedelta(hours=455 * 24 + 0x811C9DC5 % 720)


def test_markers_are_filled():
    assert filled("a@@X@@b@@Y@@", {"X": "1", "Y": "2"}) == "a1b2"


@pytest.mark.parametrize("role", ["ControlPlane", "APIServer", "Node", "Bastion"])
@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_every_role_and_architecture(config_of, role, architecture):
    config = config_of("some", spec={"role": role}, architecture=architecture)
    assert (config["role"], config["architecture"]) == (role, architecture)
    urls = [url for download in config.get("downloads", []) for url in download["urls"]]
    assert all(architecture in url for url in urls)
