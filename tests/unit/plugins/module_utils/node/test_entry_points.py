# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two entry points of the converger: the Ansible modules and the node program. Only run in check mode here."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import subprocess
import sys
import zipfile
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud import Cloud
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import (
    AWS,
    DIGITALOCEAN,
    GCE,
    HETZNER,
    OPENSTACK,
    VSPHERE,
)
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import find_distribution
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.plugins.module_utils.node import command_line
from ansible_collections.kubeops.kops.plugins.module_utils.node.observe import observe
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import Host
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import HEAD

OS_RELEASE = pathlib.Path("/etc/os-release")
known = OS_RELEASE.exists() and find_distribution(OS_RELEASE.read_text())
needs_node = pytest.mark.skipif(
    not known or Host().architecture() != "amd64", reason="this machine could not be a node of these configurations"
)
ABSENT = "/etc/kops-test-that-is-not-there"


def module(name: str, **arguments: Any) -> dict[str, Any]:
    """The result of a module, which is started as Ansible starts it, in check mode."""
    given = json.dumps({"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_check_mode": True, "_ansible_diff": True}})
    done = subprocess.run(
        [sys.executable, str(ROOT / "plugins" / "modules" / f"{name}.py")],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("program") / "kops-node.pyz"
    path.write_bytes(node_program(AWS, ("s3",)))
    return path


def run(program: pathlib.Path, *arguments: Any) -> subprocess.CompletedProcess[str]:
    # -I, -S: nothing but the standard library.
    command = [sys.executable, "-I", "-S", str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@needs_node
def test_the_module_predicts() -> None:
    files = [{"path": ABSENT, "reference": "key"}]
    secrets = {"key": base64.b64encode(b"not to be seen").decode()}
    result = module("node_converge", config={**HEAD, "files": files}, secrets=secrets)
    assert result["changed"] is True
    assert [(item["item"], item["before"]) for item in result["changes"]] == [(f"file:{ABSENT}", None)]
    assert (result["count"], len(result["hash"])) == (1, 64)
    assert result["diff"][0]["after"] == "mode: 0644\nowner: root\ngroup: root\ncontent: (secret)\n"
    shown = json.dumps(result)
    assert "not to be seen" not in shown
    assert secrets["key"] not in shown
    assert not os.path.exists(ABSENT)


@needs_node
def test_the_module_tells_what_is_wrong() -> None:
    result = module("node_converge", config={**HEAD, "files": [{}]})
    assert result["failed"] is True
    assert result["msg"] == "the node was left as it is, for 1 problem:\n- files[0].path: is missing"


def test_the_module_needs_a_config() -> None:
    assert module("node_converge")["msg"] == "state is present but all of the following are missing: config"


@needs_node
def test_the_info_module() -> None:
    result = module("node_info", certificates=[{"name": "kubelet", "path": ABSENT}])
    assert result["changed"] is False
    assert result["facts"]["NODE_NAME"] == os.uname().nodename.lower()
    assert (result["certificates"], result["architecture"]) == ({}, "amd64")


@needs_node
def test_the_program_predicts(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**HEAD, "facts": ["ZONE"], "files": [{"path": ABSENT, "content": "@@ZONE@@"}]}))
    facts = tmp_path / "facts.json"
    facts.write_text('{"ZONE": "a"}')
    done = run(program, "converge", "--config", config, "--facts", facts, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"would change file:{ABSENT}\n", "")
    done = run(program, "converge", "--config", config, "--facts", facts, "--check", "--json")
    assert json.loads(done.stdout)["items"][0]["after"]["content"] == "a"
    done = run(program, "converge", "--config", config, "--check")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kops-node: the node was left as it is, for 1 problem:\n- facts: ZONE is needed")


def test_the_program_says_what_it_cannot_read(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = run(program, "converge", "--config", tmp_path / "none", "--check")
    assert (done.returncode, "none cannot be read: No such file" in done.stderr) == (2, True)
    (tmp_path / "text").write_text("text")
    assert "text is not JSON" in run(program, "converge", "--config", tmp_path / "text", "--check").stderr


def test_what_ends_a_boot_is_said_as_all_that_it_says(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The console of an instance is looked through for lines that begin like this."""
    boot = {"cluster": "demo.example.com", "instanceGroup": "nodes", "role": "Node", "cloud": "aws"}
    place = {"location": "x", "sha256": "0" * 64}
    files = {"program": place, "nodeConfigs": {"amd64": place}, "store": "s3://store/demo.example.com"}
    (tmp_path / "boot.json").write_text(json.dumps({**boot, **files}))
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text('PRETTY_NAME="Slackware 15.0"\nID=slackware\nVERSION_ID=15.0\n')
    done = run(program, "boot", "--config", tmp_path / "boot.json", "--root", tmp_path, "--once")
    assert (done.returncode, done.stderr) == (2, "")
    first, second = done.stdout.splitlines()
    assert first == "kubeops: the node was left as it is, for 1 problem:"
    assert second.startswith("kubeops: - Slackware 15.0 (slackware-15.0) cannot be a node; distributions that can: ")


def test_a_fault_of_the_program_is_said_where_instances_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_given: object) -> None:
        raise TypeError("no number")

    monkeypatch.setattr(command_line, "boot", fail)
    with pytest.raises(TypeError):
        command_line.main(["boot"])
    assert capsys.readouterr().out == "kubeops: the node program has a fault: TypeError: no number\n"


@needs_node
def test_the_program_observes(program: pathlib.Path) -> None:
    done = run(program, "observe")
    assert json.loads(done.stdout)["distribution"] == (known and known.name)


CODE = ROOT / "plugins" / "module_utils"


# What only a module of its own uses, not the node program: etcd_health.
OF_OTHER_MODULES = {"kops.node.etcd.drill", "kops.node.etcd.health"}
# Loaders, which load the program: user data contains them.
LOADERS = (
    "loader",
    "loader.from_bucket",
    "loader.from_servers",
    "loader.load",
    *(f"{name}.load" for name in ("aws", "digitalocean", "gce", "hetzner", "openstack", "vsphere")),
)
OF_OTHER_MODULES |= {f"kops.node.{name}" for name in LOADERS}
# Clouds whose instances become nodes, and the kinds of stores that they read.
STORES = {AWS: "s3", DIGITALOCEAN: "do", GCE: "gs", HETZNER: "hos", OPENSTACK: "swift", VSPHERE: "s3"}
# What several clouds or stores have, and not all.
OF_SOME: dict[str, tuple[Cloud, ...]] = {
    "cloud.asked_back": (DIGITALOCEAN, HETZNER, OPENSTACK, VSPHERE),
    "cloud.challenge": (DIGITALOCEAN, HETZNER, OPENSTACK, VSPHERE),
    "cloud.given": (DIGITALOCEAN, HETZNER, VSPHERE),
    "cloud.plain": (DIGITALOCEAN, GCE, HETZNER, OPENSTACK, VSPHERE),
    "stores.compatible": (DIGITALOCEAN, HETZNER),
    "stores.do": (DIGITALOCEAN,),
    "stores.hos": (HETZNER,),
    "stores.given_credentials": (DIGITALOCEAN, HETZNER, VSPHERE),
    "stores.json_service": (DIGITALOCEAN, GCE, HETZNER, OPENSTACK),
    "stores.object_files": (GCE, OPENSTACK),
    "stores.object_store": (GCE, OPENSTACK),
    "stores.s3": (AWS, DIGITALOCEAN, HETZNER, VSPHERE),
    "stores.s3_bucket": (AWS, DIGITALOCEAN, HETZNER, VSPHERE),
    "stores.s3_files": (AWS, DIGITALOCEAN, HETZNER, VSPHERE),
    "stores.s3_write": (AWS, DIGITALOCEAN, HETZNER, VSPHERE),
    "stores.signing": (AWS, DIGITALOCEAN, HETZNER, VSPHERE),
    # With a store in S3 only.
    "openstack.load_s3": (),
    "openstack.store_key": (),
}


@pytest.mark.parametrize("cloud", [each for each in STORES if each.starts_nodes], ids=lambda cloud: cloud.name)
def test_the_program_is_what_its_command_line_its_cloud_and_its_store_import(
    cloud: Cloud, tmp_path: pathlib.Path
) -> None:
    """Ansible ships to a host what is imported, and nothing else; the program holds the same."""
    program = tmp_path / "kops-node.pyz"
    program.write_bytes(node_program(cloud, (STORES[cloud],)))
    code = (
        f"import sys; sys.path.insert(0, {str(program)!r});"
        f"import kops.node.command_line, kops.node.{cloud.name}.cloud, kops.node.stores.{STORES[cloud]};"
        "print(*sorted(name for name in sys.modules if name.startswith('kops.')))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    with zipfile.ZipFile(program) as archive:
        names = [pathlib.PurePath(name).with_suffix("").parts for name in archive.namelist()]
    assert {".".join(name).removesuffix(".__init__") for name in names} == {"__main__", "kops", *imported}
    files = (CODE / "node").rglob("*.py")
    parts = {".".join(("kops", *path.relative_to(CODE).with_suffix("").parts)) for path in files}
    reached = {name for name in imported if name.split(".")[1] == "node"}
    others = {f"kops.node.{name}" for name, clouds in OF_SOME.items() if cloud not in clouds}
    of_others = [each for each in STORES if each is not cloud]
    apart = (
        *(f"kops.node.{each.name}" for each in of_others),
        *(f"kops.node.stores.{STORES[each]}" for each in of_others if STORES[each] != "s3"),
    )
    own = {name.removesuffix(".__init__") for name in parts} - OF_OTHER_MODULES - others
    assert reached == {name for name in own if not name.startswith(apart)}


def test_present_certificates(node: Node) -> None:
    pair = pki.issue(pki.CertificateRequest("ca", pki.Subject("a")))
    first, other = pair.certificate, pki.generate_elliptic_key()
    chain = first + "-----BEGIN CERTIFICATE-----\nsecond\n-----END CERTIFICATE-----\n"
    encoded = base64.b64encode(first.encode()).decode()
    kubeconfig = (
        f'clusters:\n- cluster:\n    certificate-authority-data: {encoded}\n    server: "https://api:443"\n'
        f"users:\n- user:\n    client-certificate-data: {encoded}\n"
    )
    files = {"/a.crt": chain, "/a.key": pair.private_key, "/other.key": other, "/kubeconfig": kubeconfig, "/empty": ""}
    for path, text in files.items():
        node.file(path).write_text(text)
    asked = [
        {"name": "a", "path": "/a.crt", "key": "/a.key"},
        {"name": "without key", "path": "/a.crt", "key": "/none.key"},
        {"name": "with a key of another", "path": "/a.crt", "key": "/other.key"},
        {"name": "c", "path": "/kubeconfig", "kind": "kubeconfig"},
        {"name": "none", "path": "/empty"},
        {"name": "none either", "path": "/empty", "kind": "kubeconfig"},
    ]
    distribution = find_distribution('ID=debian\nVERSION_ID="12"')
    assert distribution
    node.facts = {"ZONE": "a"}
    report = node.converge(facts=["ZONE"])
    found = observe(Machine(str(node.root), node.host, distribution), asked)
    assert found["certificates"] == {"a": first, "c": first}
    assert found["kubeconfigs"] == {
        "c": {"server": "https://api:443", "authorities": first},
        "none either": {"server": "", "authorities": ""},
    }
    assert found["facts"]["ZONE"] == "a"
    assert found["facts"]["INTERNAL_IP"] == "10.0.0.7"
    assert found["hash"] == report.hash


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.k8s.io/kube-apiserver:v1.34.2", "1.34.2"),
        ('"10.0.0.1:5000/mirror/kube-apiserver-arm64:v1.34.2-lab_1@sha256:aa"', "1.34.2-lab+1"),
        ("example.com/kube-apiserver@sha256:aa", ""),
    ],
)
def test_the_version_of_the_api_server_that_a_machine_runs(node: Node, image: str, version: str) -> None:
    distribution = find_distribution('ID=debian\nVERSION_ID="12"')
    assert distribution
    machine = Machine(str(node.root), node.host, distribution)
    assert observe(machine)["apiServerVersion"] == ""
    containers = (
        f"  - image: registry.k8s.io/kops/kube-apiserver-healthcheck:1.37.0\n  - name: main\n    image: {image}\n"
    )
    manifest = node.file("/etc/kubernetes/manifests/kube-apiserver.manifest")
    manifest.parent.mkdir(parents=True)
    manifest.write_text(f"spec:\n  containers:\n{containers}")
    assert observe(machine)["apiServerVersion"] == version


def test_observing_reports_what_is_trusted_and_which_keys_pods_have_tokens_of(node) -> None:
    header = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":"key"}').decode().rstrip("=")
    for pod in ("one", "two"):
        token = node.file(f"/var/lib/kubelet/pods/{pod}/volumes/kubernetes.io~projected/kube-api-access-x/token")
        token.parent.mkdir(parents=True, exist_ok=True)
        token.write_text(f"{header}.payload.signature")
    files = [
        {"path": "/etc/ca.crt", "reference": "authority/kubernetes-ca"},
        {"path": "/etc/same.crt", "reference": "authority/kubernetes-ca"},
        {"path": "/etc/sa.pub", "reference": "public/service-account"},
        {"path": "/etc/sa.key", "reference": "key/service-account"},
    ]
    node.secrets = {
        "authority/kubernetes-ca": b"certificate",
        "public/service-account": b"public",
        "key/service-account": b"private",
    }
    node.converge(files=files)
    distribution = find_distribution('ID=debian\nVERSION_ID="12"')
    assert distribution
    found = observe(Machine(str(node.root), node.host, distribution))
    assert found["authorities"] == {"kubernetes-ca": ["certificate"], "service-account": ["public"]}
    assert found["tokenKeys"] == ["key"]
    assert "private" not in str(found)


def test_a_run_that_only_gets_other_secrets_is_finished(node) -> None:
    """Keys rotate without another NodeConfig: the record is the same before and after, but not in between."""
    files = [{"path": "/etc/ca.crt", "reference": "authority/kubernetes-ca"}]
    distribution = find_distribution('ID=debian\nVERSION_ID="12"')
    assert distribution
    for content in (b"first", b"second"):
        node.secrets = {"authority/kubernetes-ca": content}
        report = node.converge(files=files)
        assert report.changed
        assert observe(Machine(str(node.root), node.host, distribution))["hash"] == report.hash
