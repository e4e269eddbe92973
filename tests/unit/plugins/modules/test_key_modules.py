# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""secret, ssh_public_key, keypair and kubeconfig, as a user runs them."""

from __future__ import annotations

import base64
import pathlib
import shutil
import stat
import subprocess

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, Subject
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "demo.example.com"
KEYS = [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDItmSdsVALsMghb4Zxl2sOkqoRTxKT/R84TqSkCdO9p ann",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDItmSdsVALsMghb4Zxl2sOkqoRTxKT/R84TqSkCdO9q bob",
]
SECRET = '{"auths": {"registry.example.com": {"auth": "aHVudGVyMg=="}}}'


@pytest.fixture
def cluster(golden, store: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ClusterStore:
    """A stored cluster without a load balancer, and with a CA."""
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text().split("\n---\n")[0]
    lines = [line for line in text.replace("minimal-aws.example.com", NAME).splitlines() if "configBase" not in line]
    (store / NAME).mkdir(parents=True)
    (store / NAME / "config").write_text("\n".join(lines))
    found = ClusterStore.open(f"file://{store}", NAME)
    for name in ("kubernetes-ca", "service-account"):
        found.keysets.create(name, CertificateRequest("ca", Subject(name)))
    return found


def test_what_is_stored_is_listed_without_values(ansible, cluster: ClusterStore, tree) -> None:
    assert ansible("secret_info")["names"] == []
    ansible("secret", name="dockerconfig", value=SECRET)
    ansible("ssh_public_key", public_key=KEYS)
    before = tree()
    assert ansible("secret_info")["names"] == ["dockerconfig"]
    assert "aHVudGVyMg" not in str(ansible("secret_info"))
    found = ansible("ssh_public_key_info")
    assert sorted(each["public_key"] for each in found["public_keys"]) == sorted(KEYS)
    assert [each["fingerprint"] for each in found["public_keys"]] == found["fingerprints"]
    assert tree() == before
    assert "there is no cluster" in ansible.fails("secret_info", cluster_name="other.example.com")


def test_twice_with_a_real_ansible(ansible, cluster: ClusterStore, tree, tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "kube" / "config")
    steps = [
        ("secret", {"name": "dockerconfig", "value": SECRET}),
        ("ssh_public_key", {"public_key": KEYS[0]}),
        ("keypair", {"keyset": "all"}),
        ("kubeconfig", {"path": path}),
    ]
    for module, arguments in steps:
        first = ansible.adhoc(module, **arguments)
        written = tree()
        second = ansible.adhoc(module, **arguments)
        assert (module, first["changed"], second["changed"]) == (module, True, False)
        assert tree() == written
        for private in ("hunter2", "aHVudGVyMg", "PRIVATE KEY", base64.b64encode(b"-----BEGIN RSA PRIV").decode()[:20]):
            assert private not in first["output"]
    text = pathlib.Path(path).read_text()
    assert "client-key-data" in text


def test_key_pairs_are_read_without_private_keys(ansible, cluster: ClusterStore, tree) -> None:
    before = tree()
    found = ansible("keypair_info")
    assert [(each["keyset"], each["primary"]) for each in found["keypairs"]] == [
        ("kubernetes-ca", True),
        ("service-account", True),
    ]
    assert ansible("keypair_info", keysets=["service-account", "etcd"])["keypairs"] == found["keypairs"][1:]
    assert "PRIVATE" not in str(found)
    assert (found["changed"], tree()) == (False, before)


def test_secrets(ansible, cluster: ClusterStore, tmp_path: pathlib.Path) -> None:
    assert ansible.is_exact("secret", name="dockerconfig", value=SECRET)["names"] == ["dockerconfig"]
    assert cluster.secrets.find("dockerconfig") == SECRET.encode()
    assert not ansible("secret", name="dockerconfig", value="{}", update="on_create")["changed"]
    file = tmp_path / "config.json"
    file.write_text("{}")
    ansible.is_exact("secret", name="dockerconfig", src=str(file))
    assert cluster.secrets.find("dockerconfig") == b"{}"
    assert "must be a JSON object" in ansible.fails("secret", name="dockerconfig", value="hunter2")
    assert "set value or src" in ansible.fails("secret", name="dockerconfig", value="", src="")
    assert "either value or src" in ansible.fails("secret", name="dockerconfig", value="{}", src=str(file))
    ansible.is_exact("secret", name="dockerconfig", state="absent")
    assert cluster.secrets.list() == []


def test_ssh_public_keys(ansible, cluster: ClusterStore, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "id_ed25519.pub"
    file.write_text(KEYS[1] + "\n")
    first = ansible.is_exact("ssh_public_key", public_key=[KEYS[0], str(file)])
    assert len(first["fingerprints"]) == 2
    only = ansible.is_exact("ssh_public_key", public_key=str(file), exclusive=True)
    assert len(only["fingerprints"]) == 1
    assert cluster.ssh_public_keys.list() == [KEYS[1]]
    assert "cannot read /no/such/file: No such file" in ansible.fails("ssh_public_key", public_key="/no/such/file")
    assert "no public key is given" in ansible.fails("ssh_public_key")
    ansible.is_exact("ssh_public_key", public_key=only["fingerprints"], state="absent")
    ansible("ssh_public_key", public_key=KEYS)
    ansible.is_exact("ssh_public_key", state="absent")
    assert cluster.ssh_public_keys.list() == []


def test_rotating_all_keys(ansible, cluster: ClusterStore) -> None:
    old = {name: keyset.primary.id for name, keyset in cluster.keysets.list().items()}
    created = ansible("keypair", keyset="all", check=True)
    assert len(created["actions"]) == 2
    assert {name: len(keyset.items) for name, keyset in cluster.keysets.list().items()} == dict.fromkeys(old, 1)
    done = ansible.is_exact("keypair", keyset="all")
    assert sorted({each["keyset"] for each in done["keypairs"]}) == ["kubernetes-ca", "service-account"]
    newest = done["keypairs"][1]
    assert (newest["primary"], newest["has_private_key"], newest["is_ca"]) == (False, True, True)
    assert newest["subject"] == f"cn=kubernetes-ca,serial={newest['id']}"
    ansible.is_exact("keypair", keyset="all", state="promoted")
    ansible.is_exact("keypair", keyset="all", state="distrusted")
    for name, keyset in cluster.keysets.list().items():
        assert keyset.primary.id != old[name]
        assert [item.id for item in keyset.trusted] == [keyset.primary.id]
    ansible.is_exact("keypair", keyset="kubernetes-ca", state="trusted", ids=[old["kubernetes-ca"]])
    ansible.is_exact("keypair", keyset="kubernetes-ca", state="promoted", ids=[old["kubernetes-ca"]])


def test_a_ca_of_ones_own(ansible, cluster: ClusterStore) -> None:
    own = pki.issue(CertificateRequest("ca", Subject("company")))
    message = ansible.fails(
        "keypair", keyset="etcd-clients-ca", certificate=own.certificate, private_key=own.private_key
    )
    assert message == "keyset etcd-clients-ca: the first key pair of a keyset must be primary"
    given = {"certificate": own.certificate, "private_key": own.private_key, "primary": True}
    done = ansible.is_exact("keypair", keyset="etcd-clients-ca", **given)
    assert done["keypairs"][0]["subject"] == "cn=company"
    assert cluster.keysets.get("etcd-clients-ca").signer() == own
    other = pki.issue(CertificateRequest("ca", Subject("other")))
    wrong = {**given, "private_key": other.private_key}
    assert "does not belong to the certificate" in ansible.fails("keypair", keyset="etcd-clients-ca", **wrong)
    ansible.is_exact("keypair", keyset="etcd-clients-ca", certificate=other.certificate)
    leaf = pki.issue(CertificateRequest("client", Subject("leaf")), own)
    message = ansible.fails("keypair", keyset="etcd-clients-ca", certificate=leaf.certificate)
    assert "is not that of a CA" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keyset": "kubelet"}, "only CAs and service-account can"),
        ({"keyset": "all", "primary": True}, "with keyset all neither"),
        ({"keyset": "kubernetes-ca", "state": "trusted"}, "needs the ids"),
        ({"keyset": "kubernetes-ca", "state": "promoted", "ids": ["1", "2"]}, "only one key pair can be primary"),
        ({"keyset": "no-such-ca", "state": "promoted"}, "has no keyset no-such-ca"),
        ({"keyset": "kubernetes-ca", "state": "distrusted", "ids": ["5"]}, "the keyset has no key pair 5"),
        ({"keyset": "kubernetes-ca", "private_key": "hunter2"}, "not an unencrypted private key"),
    ],
)
def test_key_pairs_that_are_refused(ansible, cluster: ClusterStore, tree, arguments: dict, message: str) -> None:
    before = tree()
    found = ansible.fails("keypair", **arguments)
    assert message in found
    assert "hunter2" not in found
    assert tree() == before


def test_a_missing_library(ansible, cluster: ClusterStore, tmp_path: pathlib.Path) -> None:
    (tmp_path / "cryptography.py").write_text("raise ModuleNotFoundError('none', name='cryptography')")
    ansible.environment["PYTHONPATH"] = str(tmp_path)
    message = ansible.fails("kubeconfig", path=str(tmp_path / "config"))
    assert message.startswith("Failed to import the required Python library (cryptography) on")


# -- kubeconfig -----------------------------------------------------------------------------------------------------

OTHER = """apiVersion: v1
clusters:
- cluster:
    certificate-authority: /ca.pem
    server: https://other
  name: other
contexts:
- context:
    cluster: other
    namespace: x
    user: ann
  name: other
current-context: other
extensions:
- extension: kept
  name: kept
kind: Config
users:
- name: ann
  user:
    token: hunter2
"""


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "kube" / "config"


def entry(path: pathlib.Path, where: str, name: str = NAME) -> dict:
    found = yaml.safe_load(path.read_text())[where]
    return next(each[where[:-1]] for each in found if each["name"] == name)


def decoded(text: str) -> str:
    return base64.b64decode(text).decode()


def test_a_new_kubeconfig(ansible, cluster: ClusterStore, path: pathlib.Path) -> None:
    predicted = ansible("kubeconfig", path=str(path), check=True)
    assert predicted["changed"]
    assert not path.parent.exists()
    done = ansible.is_exact("kubeconfig", path=str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    authority = cluster.keysets.get("kubernetes-ca").certificate_bundle()
    server = entry(path, "clusters")
    assert decoded(server.pop("certificate-authority-data")) == authority
    assert server == {"server": f"https://api.{NAME}", "tls-server-name": f"api.internal.{NAME}"}
    assert entry(path, "contexts") == {"cluster": NAME, "user": NAME}
    assert yaml.safe_load(path.read_text())["current-context"] == NAME
    certificate = decoded(entry(path, "users")["client-certificate-data"])
    facts = read_certificate(certificate)
    assert facts.subject.startswith("o=system:masters,cn=kubecfg-")
    assert facts.type == "client"
    assert facts.not_after.strftime("%Y-%m-%dT%H:%M:%SZ") == done["expires"]
    assert pki.is_issued_by(certificate, authority)
    assert pki.belongs_to(certificate, decoded(entry(path, "users")["client-key-data"]))
    assert "PRIVATE" not in str(done)
    assert "(sensitive)" in done["diff"][0]["after"]


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on this machine")
def test_kubectl_reads_it(ansible, cluster: ClusterStore, path: pathlib.Path) -> None:
    ansible("kubeconfig", path=str(path))
    command = ["kubectl", "--kubeconfig", str(path), "config", "current-context"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == f"{NAME}\n"


def test_what_else_is_in_the_file_stays(ansible, cluster: ClusterStore, path: pathlib.Path) -> None:
    path.parent.mkdir()
    path.write_text(OTHER)
    path.chmod(0o644)
    done = ansible.is_exact("kubeconfig", path=str(path), switch_context=False)
    assert "hunter2" not in str(done)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found, before = yaml.safe_load(path.read_text()), yaml.safe_load(OTHER)
    assert found["current-context"] == "other"
    for where in ("clusters", "contexts", "users"):
        assert before[where][0] in found[where]
        assert len(found[where]) == 2
    assert found["extensions"] == before["extensions"]
    ansible.is_exact("kubeconfig", path=str(path))
    assert yaml.safe_load(path.read_text())["current-context"] == NAME
    removed = ansible.is_exact("kubeconfig", path=str(path), state="absent")
    assert removed["path"] == str(path)
    found = yaml.safe_load(path.read_text())
    assert found == {**before, "current-context": "", "preferences": {}}


def test_the_certificate_is_renewed_when_it_must_be(ansible, cluster: ClusterStore, path: pathlib.Path) -> None:
    def certificate() -> str:
        return entry(path, "users")["client-certificate-data"]

    ansible("kubeconfig", path=str(path), admin="10h")
    first = certificate()
    assert not ansible("kubeconfig", path=str(path), admin="12h")["changed"]
    assert ansible("kubeconfig", path=str(path), admin="48h")["changed"]
    second = certificate()
    assert second != first
    assert ansible("kubeconfig", path=str(path), admin="1h")["changed"]
    third = certificate()
    assert third != second
    ansible("keypair", keyset="kubernetes-ca")
    ansible("keypair", keyset="kubernetes-ca", state="promoted")
    assert ansible("kubeconfig", path=str(path), admin="1h")["changed"]
    assert certificate() != third


def test_which_server_and_which_user(ansible, cluster: ClusterStore, path: pathlib.Path) -> None:
    assert ansible("kubeconfig", path=str(path), internal=True)["server"] == f"https://api.internal.{NAME}"
    assert ansible("kubeconfig", path=str(path), api_server="https://10.0.0.1")["server"] == "https://10.0.0.1"
    path.write_text(OTHER)
    done = ansible.is_exact("kubeconfig", path=str(path), user="ann", admin="")
    assert done["expires"] == ""
    assert entry(path, "contexts") == {"cluster": NAME, "user": "ann"}
    assert [each["name"] for each in yaml.safe_load(path.read_text())["users"]] == ["ann"]
    assert "has no user 'bob'" in ansible.fails("kubeconfig", path=str(path), user="bob")
    assert "either admin or user" in ansible.fails("kubeconfig", path=str(path), user="ann", admin="1h")
    path.unlink()
    assert ansible("kubeconfig", path=str(path), admin="0")["expires"] == ""
    assert "users" not in yaml.safe_load(path.read_text())


def test_where_kubectl_looks(ansible, cluster: ClusterStore, tmp_path: pathlib.Path) -> None:
    assert ansible("kubeconfig")["path"] == str(tmp_path / ".kube" / "config")
    ansible.environment["KUBECONFIG"] = f":{tmp_path}/first:{tmp_path}/second"
    assert ansible("kubeconfig")["path"] == str(tmp_path / "first")
    assert (tmp_path / "first").exists()


def test_all_clusters_of_a_store(ansible, cluster: ClusterStore, store: pathlib.Path, path: pathlib.Path) -> None:
    config = (store / NAME / "config").read_text()
    for name in ("a.example.com", "b.example.com"):
        (store / name).mkdir()
        (store / name / "config").write_text(config.replace(NAME, name))
    other = ClusterStore.open(f"file://{store}", "b.example.com")
    other.keysets.create("kubernetes-ca", CertificateRequest("ca", Subject("kubernetes-ca")))
    predicted = ansible("kubeconfig", path=str(path), all=True, check=True)
    assert (predicted["changed"], path.exists()) == (True, False)
    done = ansible("kubeconfig", path=str(path), all=True)
    assert [each["name"] for each in done["clusters"]] == ["b.example.com", NAME]
    assert all(each["server"] and each["expires"] for each in done["clusters"])
    assert "a.example.com is left out: cluster a.example.com has no CA yet" in str(done["warnings"])
    assert not ansible("kubeconfig", path=str(path), all=True)["changed"]
    written = yaml.safe_load(path.read_text())
    assert {each["name"] for each in written["contexts"]} == {"b.example.com", NAME}
    assert not written.get("current-context")
    assert ansible("kubeconfig", path=str(path), all=True, state="absent")["changed"]
    assert not yaml.safe_load(path.read_text())["contexts"]
    assert "api_server is the address of one" in ansible.fails("kubeconfig", all=True, api_server="10.0.0.1")


@pytest.mark.parametrize("text", ["[hunter2", "- hunter2", "clusters: [hunter2]", "users: hunter2"])
def test_a_file_that_is_no_kubeconfig(ansible, cluster: ClusterStore, path: pathlib.Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    message = ansible.fails("kubeconfig", path=str(path))
    assert f"{path} is no kubeconfig" in message
    assert "hunter2" not in message
    assert path.read_text() == text


def test_a_cluster_without_a_ca(ansible, cluster: ClusterStore, store: pathlib.Path, path: pathlib.Path) -> None:
    (store / NAME / "pki" / "private" / "kubernetes-ca" / "keyset.yaml").unlink()
    assert "has no CA yet; run update_cluster first" in ansible.fails("kubeconfig", path=str(path))
    assert "is no duration" not in ansible.fails("kubeconfig", path=str(path), admin="1h")
    assert "admin: '5 days' is not a duration" in ansible.fails("kubeconfig", path=str(path), admin="5 days")
    assert not path.exists()
