# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of AWS that boot by themselves: the real user data, run as a process with the role of its instance.

The account checks signatures and policies. The machine is a directory, which is only looked at (--check).
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.network_load_balancer import NODE_ADDRESSES
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Answer, Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.certificates import wanted
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.references import content
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import identity
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import (
    StoreSource,
    certificates_of,
    encoded,
    stored_references,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3_bucket import Bucket
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import post, read_xml
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import Host
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    BUCKET,
    NAME,
    STORE,
    ZONE,
    Account,
    account_with_cluster,
)
from ansible_collections.kubeops.kops.tests.support import bootstrap_server, metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.metadata_service import MetadataService
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost

pytestmark = pytest.mark.skipif(Host().architecture() != "amd64", reason="the groups have machines of amd64 only")

INSTANCE, ADDRESS = "i-0123456789abcdef0", "10.0.0.7"
FACTS = {"NODE_NAME": INSTANCE, "INTERNAL_IP": ADDRESS, "PROVIDER_ID": f"aws:///{ZONE}/{INSTANCE}"}
SERVER = f"kops-controller.internal.{NAME}"


# What systemd says of units that are not there.
SYSTEMCTL = """#!/bin/sh
echo "$@" >> {root}/systemctl
[ "$1" = show ] || exit 0
while [ "$1" != -- ]; do shift; done
shift
for unit; do
  printf 'ActiveState=inactive\nSubState=dead\nUnitFileState=\nType=\n'
  printf 'Result=success\nNeedDaemonReload=no\nNRestarts=0\n\n'
done
"""


@pytest.fixture(scope="module")
def cluster(checked: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """An account with a cluster whose objects are there."""
    with account_with_cluster(checked, tmp_path_factory.mktemp("account")) as account:
        yield account


def user_data(account: Account, role: str) -> str:
    """What the newest launch template of a group of this role (in the specification's words) gives to instances."""
    ec2 = account.client("ec2")
    for template in ec2.describe_launch_templates()["LaunchTemplates"]:
        (version,) = ec2.describe_launch_template_versions(
            LaunchTemplateId=template["LaunchTemplateId"], Versions=["$Latest"]
        )["LaunchTemplateVersions"]
        text = base64.b64decode(version["LaunchTemplateData"]["UserData"]).decode()
        if f'"role": "{role}"' in text:
            return text
    raise AssertionError(role)


def boot_of(script: str) -> dict[str, Any]:
    """boot.json in a user data script."""
    found: dict[str, Any] = json.loads(script.partition("<< '__EOF_BOOT'\n")[2].partition("\n__EOF_BOOT")[0])
    return found


@dataclass
class Machine:
    """An instance of a group. root: its files. script: its user data. environment: of its processes."""

    root: pathlib.Path
    script: str
    service: type[MetadataService]
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def boot_file(self) -> pathlib.Path:
        return self.root / "etc/kubeops/boot.json"

    def change_boot_file(self, **values: Any) -> None:
        self.boot_file.write_text(json.dumps({**json.loads(self.boot_file.read_text()), **values}))

    def run_user_data(self) -> None:
        """As cloud-init does, but below the root."""
        script = self.script
        for path in ("/etc/kubeops", "/opt/kubeops", "/etc/systemd/system"):
            script = script.replace(path, f"{self.root}{path}")
        programs = self.root / "usr/local/bin"
        (programs / "systemctl").write_text(SYSTEMCTL.replace("{root}", str(self.root)))
        (programs / "systemctl").chmod(0o755)
        (programs / "python3").unlink(missing_ok=True)
        (programs / "python3").symlink_to(sys.executable)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(["bash"], input=script.encode(), env={**self.environment, "PATH": path}, check=True)

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Start the unit that user data has installed. options: of the node program."""
        unit = (self.root / "etc/systemd/system/kops-configuration.service").read_text()
        (line,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
        return subprocess.Popen(
            [*shlex.split(line.partition("=")[2]), "--check", "--root", str(self.root), *options],
            env={**self.environment, "PATH": f"{self.root}/usr/local/bin{os.pathsep}{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def boot(self, *options: str) -> tuple[int, str]:
        """Exit code and output of the unit, which gives up where something is missing."""
        process = self.start("--once", *options)
        output = process.communicate(timeout=120)[0]
        return process.returncode, output


@pytest.fixture()
def machine_of(cluster: Account, tmp_path: pathlib.Path) -> Iterator[Any]:
    """Function: an instance with the role of a group of this role."""
    with metadata_service.running(metadata_service.paths_of_an_instance(INSTANCE, ADDRESS, ZONE)) as (url, service):

        def make(role: str, name: str) -> Machine:
            arn = f"arn:aws:iam::123456789012:role/{name}.{NAME}"
            session = cluster.client("sts").assume_role(RoleArn=arn, RoleSessionName=INSTANCE)
            service.paths.update(metadata_service.paths_of_credentials(name, session["Credentials"]))
            root = tmp_path / "machine"
            FakeHost.make(root)
            for setting in ("vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops"):
                (root / "proc/sys" / setting).parent.mkdir(exist_ok=True)
                (root / "proc/sys" / setting).write_text("0\n")
            environment = {"AWS_ENDPOINT_URL": cluster.server.url, "AWS_EC2_METADATA_SERVICE_ENDPOINT": url}
            machine = Machine(root, user_data(cluster, role), service, environment)
            machine.run_user_data()
            return machine

        yield make


@pytest.fixture()
def worker(cluster: Account, machine_of: Any, tmp_path: pathlib.Path) -> Iterator[tuple[Machine, Any]]:
    """A worker and the bootstrap server that it is told of, which has the program and believes what STS says."""
    machine: Machine = machine_of("Node", "nodes")
    store = ClusterStore.open(STORE, NAME)
    boot = json.loads(machine.boot_file.read_text())
    authority = store.keysets.get("kubernetes-ca").signer()
    with bootstrap_server.running(tmp_path, authority, SERVER) as (servers, handler):

        def read(path: str) -> bytes | None:
            try:
                return store.path.join(path).read()
            except FileNotFoundError:
                return None

        def answer(request: Request) -> Answer:
            headers = json.loads(base64.b64decode(handler.proofs[-1].removeprefix("x-aws-sts ")))
            proof = {name: values[0] for name, values in headers.items()}
            assert proof["x-kops-request-sha"] == identity.body_hash(handler.asked[-1])
            arn = read_xml(post(cluster.server.url + "/", identity.REQUEST, proof)).findtext(".//Arn")
            assert arn == f"arn:aws:sts::123456789012:assumed-role/nodes.{NAME}/{INSTANCE}"
            (named,) = [each for each in boot["nodeConfigs"].values() if each["sha256"] == request.node_config]
            config = json.loads(read(named["location"]) or b"")
            source = StoreSource(read)
            signer = issue.Authority(authority.certificate, authority.private_key)
            certificates = {
                each.name: issue.issue(wanted(each, FACTS), request.public_keys[each.name], signer)
                for each in certificates_of(config)
            }
            secrets = {name: content(name, source) for name in stored_references(config)}
            return Answer(certificates, (read(named["location"]) or b"").decode(), encoded(secrets))

        handler.answer = staticmethod(answer)
        handler.files[f"/program/{boot['program']['sha256']}"] = read(boot["program"]["location"])
        machine.change_boot_file(
            servers={**boot["servers"], "addresses": servers["addresses"], "port": servers["port"]}
        )
        yield machine, handler


def until(process: subprocess.Popen[str], wanted: str, seconds: float = 30) -> list[str]:
    """What a process prints, up to a line with this text. It goes on."""
    found: list[str] = []
    end = time.monotonic() + seconds
    assert process.stdout is not None
    while not found or wanted not in found[-1]:
        assert time.monotonic() < end, found
        line = process.stdout.readline()
        assert line, found
        found.append(line.rstrip())
    return found


def lines(process: subprocess.Popen[str], wanted: str, seconds: float = 30) -> list[str]:
    """The same; the process is ended."""
    found = until(process, wanted, seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return found


def test_a_worker_gets_everything_from_the_server_and_nothing_from_the_store(
    worker: tuple[Machine, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, handler = worker
    # To enable a unit is to let systemd read all units.
    assert (machine.root / "systemctl").read_text().splitlines() == [
        "enable --now --no-block kops-configuration.service"
    ]
    code, output = machine.boot("--json")
    assert code == 0, output
    said = [line for line in output.splitlines() if line.startswith("kubeops: ")]
    assert said == [
        f"kubeops: this is {INSTANCE}, of instance group nodes-{ZONE} of {NAME}",
        "kubeops: this machine would become a node",
    ]
    items = {item["item"]: item for item in json.loads(output[output.index("{\n") : output.rindex("}") + 1])["items"]}
    assert items["file:/var/lib/kubelet/kubeconfig"]["after"]["content"] == "(secret)"
    assert items["file:/srv/kubernetes/ca.crt"]["changed"]
    assert "PRIVATE KEY" not in output
    (body,) = handler.asked
    assert set(Request.read(body).public_keys) == {"kubelet", "kubelet-server"}
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    (config,) = json.loads(machine.boot_file.read_text())["nodeConfigs"].values()
    for location in ("pki/private/kubernetes-ca/keyset.yaml", config["location"]):
        with pytest.raises(OSError, match="403"):
            Bucket(BUCKET, Metadata()).read(f"{NAME}/{location}")


@pytest.mark.parametrize("role", ["ControlPlane", "Node"])
def test_terraform_gives_instances_the_same(cluster: Account, tmp_path: pathlib.Path, role: str) -> None:
    cluster.update(target="terraform", out=str(tmp_path))
    files = [path.read_text() for path in (tmp_path / "data").glob("aws_launch_template_*_user_data")]
    (text,) = [text for text in files if f'"role": "{role}"' in text]
    direct = user_data(cluster, role)
    if role == "Node":
        # Terraform makes another load balancer, whose addresses it knows when it has made it.
        (address,) = boot_of(direct)["servers"]["addresses"]
        marker = f"@@terraform:{NODE_ADDRESSES}@@"
        assert marker in text
        text = text.replace(marker, address, 1)
        assert boot_of(text)["servers"]["ca"].startswith("-----BEGIN CERTIFICATE-----")
    assert text == direct
    assert "PRIVATE KEY" not in text


def test_a_control_plane_reads_the_store_up_to_its_volumes(machine_of: Any) -> None:
    machine = machine_of("ControlPlane", "masters")
    code, output = machine.boot()
    (named,) = json.loads(machine.boot_file.read_text())["nodeConfigs"].values()
    kept = machine.root / f"opt/kubeops/nodeconfig-{named['sha256']}.json"
    assert json.loads(kept.read_text())["role"] == "ControlPlane"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert code != 0
    assert "this instance would attach volume vol-" in output and "of etcd cluster main" in output


def test_what_is_wrong_with_the_program_is_said_until_it_is_mended(cluster: Account, machine_of: Any) -> None:
    machine = machine_of("ControlPlane", "masters")
    boot = json.loads(machine.boot_file.read_text())
    key, s3 = f"{NAME}/{boot['program']['location']}", cluster.client("s3")
    program = s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    s3.put_object(Bucket=BUCKET, Key=key, Body=program + b"#")
    process = machine.start("--once")
    assert "but must have" in lines(process, "kubeops: ")[0]
    s3.delete_object(Bucket=BUCKET, Key=key)
    process = machine.start("--once")
    assert "404" in lines(process, "kubeops: ")[0]
    policy = cluster.client("iam").get_role_policy(RoleName=f"masters.{NAME}", PolicyName=f"masters.{NAME}")
    cluster.client("iam").delete_role_policy(RoleName=f"masters.{NAME}", PolicyName=f"masters.{NAME}")
    process = machine.start("--once")
    assert "403" in lines(process, "kubeops: ")[0]
    process = machine.start("--once")
    assert process.stdout is not None
    assert "next try in 1 s" in process.stdout.readline()
    cluster.client("iam").put_role_policy(
        RoleName=f"masters.{NAME}",
        PolicyName=f"masters.{NAME}",
        PolicyDocument=json.dumps(policy["PolicyDocument"]),
    )
    s3.put_object(Bucket=BUCKET, Key=key, Body=program)
    output = process.communicate(timeout=60)[0]
    assert f"kubeops: this is {INSTANCE}" in output


def test_renewing_does_what_the_next_boot_would_do(worker: tuple[Machine, Any]) -> None:
    """The command of the unit kubeops-renewal.service, with the program that the loader has loaded."""
    machine, handler = worker
    code, booted = machine.boot()
    assert code == 0, booted
    program = machine.root / "opt/kubeops/kops-node"
    done = subprocess.run(
        [sys.executable, program, "renew", "--config", machine.boot_file, "--root", machine.root, "--once", "--check"],
        env={**machine.environment, "PATH": f"{machine.root}/usr/local/bin{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    changes, again = ({line for line in text.splitlines() if "would change " in line} for text in (booted, done.stdout))
    assert "would change file:/var/lib/kubelet/kubeconfig" in changes
    assert again == changes
    # The keys that the boot has made, as the node has no certificates yet.
    assert len({json.dumps(Request.read(body).public_keys, sort_keys=True) for body in handler.asked}) == 1


def test_each_thing_that_is_missing_is_named(worker: tuple[Machine, Any]) -> None:
    machine, handler = worker
    boot = json.loads(machine.boot_file.read_text())
    machine.change_boot_file(servers={**boot["servers"], "addresses": ["127.0.0.3"]})
    assert "waiting for the node program: no bootstrap server at port" in lines(machine.start(), "kubeops: ")[0]
    machine.change_boot_file(servers=boot["servers"])
    handler.statuses += [500, 200, 403, 403]
    said = lines(machine.start(), "does not accept")
    assert "the answer is 500" in said[0]
    assert said[-1].startswith(
        f"kubeops: waiting for a bootstrap server of {NAME}: the bootstrap server does not accept"
    )
    handler.statuses.clear()
    token = machine.service.paths.pop("meta-data/instance-id")
    said = lines(machine.start(), "waiting for the metadata of this instance")
    assert "404" in said[-1]
    machine.service.paths["meta-data/instance-id"] = token
    # The keys that it made first are those that it asks with until it has certificates.
    code, output = machine.boot()
    assert code == 0, output
    assert len({json.dumps(Request.read(body).public_keys["kubelet"]) for body in handler.asked}) == 1
