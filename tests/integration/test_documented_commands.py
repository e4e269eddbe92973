# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the documentation, page by page and as they stand there, in an account on loopback.

Its instances are nodes of an API server, which is a fake. tests/documented/runs.py says which commands other tests
type, or none, and why. The output that a page shows is compared, too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.documented import reader as documented
from ansible_collections.kubeops.kops.tests.documented.output import comparable, missing_of
from ansible_collections.kubeops.kops.tests.documented.pages import blocks
from ansible_collections.kubeops.kops.tests.documented.proofs import extra_variables, playbook_of
from ansible_collections.kubeops.kops.tests.documented.runs import typed_by_reader, words_of
from ansible_collections.kubeops.kops.tests.documented.shell import Command, commands
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    PUBLIC_KEY,
    Account,
    ansible_environment,
    fresh_account,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.running_cluster import (
    RunningCluster,
    fail_node,
    running_cluster,
    settings,
)

pytestmark = pytest.mark.long

TYPED = typed_by_reader()
# Pages that begin without a cluster, and end without one: words that two of them have are typed once.
FIRST = ("README.md", "docs/start-aws.md")
# It makes one in another state store, which stays.
ELSEWHERE = "playbooks/create_cluster.yml"
# Pages after which the cluster is not any more what the others speak of.
LAST = tuple(f"playbooks/{name}.yml" for name in ("edit", "instancegroup", "keypair", "toolbox_instance_selector"))
PAGES = sorted({command.page for command in TYPED} - {*FIRST, ELSEWHERE}, key=lambda page: (page in LAST, page))
# What pages name as the state store; the cluster is in the first one.
BUCKETS = ("example-kops-state", "my-store")
STORE, NAME = f"s3://{BUCKETS[0]}", "demo.example.com"
WORKERS = "nodes-us-east-1a"
# A plan's number; pages show one of another plan.
PLAN = re.compile(r"\bPlan ([0-9a-f]{16})\b")
SHOWN_PLAN = "0123456789abcdef"
# The number of a plan without objects, which is not shown.
NOTHING = hashlib.sha256(b"").hexdigest()[:16]
# The instance that pages name, and the network of others with its subnet.
SHOWN_INSTANCE = "i-0a5ed581b862d3425"
SHOWN_NETWORK, SHOWN_SUBNET = "vpc-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60718"
# The time in the name of an archive that pages name.
SHOWN_TIME = "20260508T120000Z"
# Commands that a page shows with their failure -> what it is.
FAILURES = {
    # The API server here does not know all kinds of objects that addons have, so not all of it can be looked at.
    "ansible-playbook kubeops.kops.drift -e kops_fail_on_drift=true": "no drift in what could be looked at",
    "ansible-playbook kubeops.kops.update_cluster -e kops_policy=policy/company.yml --check": (
        "the policy forbids this, nothing was written"
    ),
    "ansible-playbook kubeops.kops.update_cluster -e kops_target=cloud -e kops_node_cuont=3 -e kops_zones=us-east-1a": (
        "wrong variables for update_cluster"
    ),
}
# Where the address of one API server makes no sense.
OF_ALL_CLUSTERS = "kops_all"
ENCRYPTION = """\
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: key1, secret: MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=}]}
  - identity: {}
"""
# A policy that nothing here violates; the page about policies has one that stops an update.
POLICY = """\
rules:
- {name: small-groups, message: Ask for more., about: group, field: spec.maxSize, max: 10}
"""
# The user's own playbook: it connects to no instance.
OWN_PLAYBOOK = """\
- hosts: all
  connection: local
  gather_facts: false
  tasks:
  - ansible.builtin.debug: {msg: "{{ kops_instance_group }}"}
"""


class Reader(documented.Reader):
    """One with an account in the cloud, and with the files that pages name."""

    def __init__(self, account: Account, cluster: RunningCluster, directory: pathlib.Path) -> None:
        super().__init__(directory, {**os.environ, **ansible_environment()})
        self.account, self.cluster = account, cluster
        self.environment["ANSIBLE_INVENTORY"] = str(settings(directory, cluster.fake))
        self.use(f"KOPS_STATE_STORE={STORE}", f"KOPS_CLUSTER_NAME={NAME}")
        self.plan = ""
        for bucket in BUCKETS:
            account.client("s3").create_bucket(Bucket=bucket)
            account.client("s3").put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        for name in (".docker", ".ssh", "clusters/demo", "policy"):
            (directory / name).mkdir(parents=True)
        for name, text in _files_of_a_user().items():
            (directory / name).write_text(text)

    def has_a_cluster(self) -> None:
        """Create the cluster that pages speak of; its manifests are in the files that they name."""
        given = ("kops_zones=us-east-1a", "kops_node_count=2", "kops_ssh_public_key=id.pub")
        self.play("kubeops.kops.create_cluster", *(word for each in given for word in ("-e", each)))
        self.play("kubeops.kops.get", "-e", "kops_manifest=cluster.yml")
        (self.directory / "clusters" / "demo" / "cluster.yml").write_text((self.directory / "cluster.yml").read_text())

    def read(self, page: str) -> None:
        """Type the commands of a page, one after the other, in a new shell."""
        before = {**self.environment}
        try:
            with contextlib.ExitStack() as self.until_the_end_of_the_page:
                for command in of_page(page):
                    self.type(command)
        finally:
            self.environment = before

    def type(self, command: Command) -> None:
        if command.program == "export":
            self.use(*command.words[1:])
            return
        BEFORE.get((command.page, str(command)), _nothing)(self)
        words = [self._real(word) for word in (command.program, *command.words[1:])]
        failure = FAILURES.get(str(command), "")
        output = self.run(*words, expect=2 if failure else 0)
        assert failure in output
        self.plan = (PLAN.findall(output) or [NOTHING if "Nothing to do" in output else self.plan])[-1]
        written = extra_variables(command).get("kops_manifest") if command.program == "ansible-playbook" else None
        if written and playbook_of(command) == "get":
            self.edit(written)
        assert missing_of(command, output) == [], f"{command.where}\n{comparable(output)}"

    def edit(self, name: str) -> None:
        """Give groups of nodes one more, as a page says to do between its commands."""
        path = self.directory / name
        before = path.read_text().split("---\n")
        after = [_with_one_more(text) if "role: Node" in text else text for text in before]
        assert after != before
        path.write_text("---\n".join(after))

    def environment_of(self, words: Sequence[str]) -> Mapping[str, str]:
        left_out = "ANSIBLE_INVENTORY" if any(OF_ALL_CLUSTERS in word for word in words) else ""
        return {name: value for name, value in self.environment.items() if name != left_out}

    def _real(self, word: str) -> str:
        """A word of a page, with what is here in place of what the page shows."""
        if SHOWN_INSTANCE in word:
            word = word.replace(SHOWN_INSTANCE, self.cluster.of_group(WORKERS)[0])
        if SHOWN_TIME in word:
            (found,) = self.directory.glob(f".{word.replace(SHOWN_TIME, '*')}")
            return str(found)
        if SHOWN_NETWORK in word or SHOWN_SUBNET in word:
            network, subnet = self._network_of_others
            word = word.replace(SHOWN_NETWORK, network).replace(SHOWN_SUBNET, subnet)
        return self.here(word).replace(SHOWN_PLAN, self.plan or SHOWN_PLAN)

    @functools.cached_property
    def _network_of_others(self) -> tuple[str, str]:
        """The ids of a VPC with a way to the internet, and of a subnet in it."""
        ec2 = self.account.client("ec2")
        network = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=network)
        subnet = ec2.create_subnet(VpcId=network, CidrBlock="10.0.0.0/20", AvailabilityZone="us-east-1a")
        return network, subnet["Subnet"]["SubnetId"]

    # -- what pages presume -------------------------------------------------------------------------------------------

    def is_outside(self) -> None:
        """The cluster's own store cannot be reached from here."""
        path = self.directory / "cluster.yml"
        text = path.read_text()
        self.until_the_end_of_the_page.callback(path.write_text, text)
        path.write_text(text.replace(STORE, "s3://store-inside"))

    def has_a_node_that_is_late(self) -> None:
        self.cluster.forget(self.cluster.of_group(WORKERS)[0], looks=1)

    def has_a_node_that_has_failed(self) -> None:
        """Another one has only just started."""
        self.cluster.join()
        failed, started = self.cluster.of_group(WORKERS)
        fail_node(self.cluster.fake, failed)
        self.cluster.forget(started, looks=2)

    def has_outdated_nodes(self) -> None:
        """All of them, by an update."""
        store = ClusterStore.open(STORE, NAME)
        stored = store.read_cluster()
        stored.spec.kubelet = KubeletConfigSpec(max_pods=100)
        store.write_cluster(stored)
        self.account.update()

    def has_an_outdated_worker(self) -> None:
        self.account.change_group(WORKERS, kubelet=KubeletConfigSpec(max_pods=42))
        self.account.update()
        assert len(self.cluster.of_group(WORKERS)) == 1


# What pages presume before a command.
BEFORE: dict[tuple[str, str], Callable[[Reader], None]] = {
    ("docs/air-gap.md", "ansible-playbook kubeops.kops.replace -e kops_manifest=cluster.yml -e kops_force=true"): (
        Reader.is_outside
    ),
    ("docs/playbooks.md", "ansible-playbook kubeops.kops.validate_cluster -e kops_validate_wait=900"): (
        Reader.has_a_node_that_is_late
    ),
    ("docs/replace-nodes.md", "ansible-playbook kubeops.kops.repair --check"): Reader.has_a_node_that_has_failed,
    ("docs/rolling-update.md", "ansible-playbook kubeops.kops.rolling_update --check"): Reader.has_outdated_nodes,
    ("playbooks/rolling_update.yml", "ansible-playbook kubeops.kops.rolling_update -e kops_limit=1"): (
        Reader.has_an_outdated_worker
    ),
}


def of_page(page: str) -> list[Command]:
    """What the reader does of a page."""
    return [each for each in commands() if each.page == page and (each in TYPED or each.program == "export")]


def of_first_pages() -> list[Command]:
    """The commands of these pages about one cluster: each words once, and its deletion at the end."""
    every = [each for page in FIRST for each in of_page(page)]
    first = {words_of(each): each for each in reversed(every)}
    # Another page is read in another shell.
    once = [each for each in every if each.program == "export" or first[words_of(each)] is each]
    return sorted(once, key=_deletes)


def _deletes(command: Command) -> bool:
    return command.program == "ansible-playbook" and playbook_of(command) == "delete_cluster"


def _nothing(_reader: Reader) -> None:
    """A page presumes no more than what its commands have made."""


def _files_of_a_user() -> dict[str, str]:
    """The files that pages name, but for manifests of clusters."""
    rules = [block.text for block in blocks() if block.page == "docs/policy.md" and block.text[:6] == "rules:"]
    (inventory,) = (block.text for block in blocks() if block.page == "docs/inventory.md" and block.language == "yaml")
    own = [block.text for block in blocks() if block.page == "docs/own-playbooks.md" and block.language == "yaml"]
    return {
        ".docker/config.json": "{}",
        "grow.yml": own[0],
        ".ssh/id_ed25519.pub": PUBLIC_KEY,
        "encryption.yml": ENCRYPTION,
        "id.pub": PUBLIC_KEY,
        "kops.yml": inventory,
        "my.yml": OWN_PLAYBOOK,
        "policy/company.yml": rules[-1],
        "policy/platform.yml": POLICY,
    }


def _with_one_more(group: str) -> str:
    return re.sub(r"maxSize: (\d+)\n", lambda found: f"maxSize: {int(found[1]) + 1}\n", group)


@contextlib.contextmanager
def reader_of(account: Account, directory: pathlib.Path) -> Iterator[Reader]:
    account.store, account.name = STORE, NAME
    with running_cluster(RunningCluster, STORE, NAME, directory) as cluster:
        yield Reader(account, cluster, directory)


@pytest.fixture(scope="module")
def reader(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """One whose cluster is there already."""
    directory = tmp_path_factory.mktemp("reader")
    with (
        pytest.MonkeyPatch.context() as patch,
        reader_of(fresh_account(server, patch, directory), directory) as found,
    ):
        found.has_a_cluster()
        yield found


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page(page: str, reader: Reader) -> None:
    reader.read(page)


def test_commands_of_first_pages(account: Account, tmp_path: pathlib.Path) -> None:
    """They are about a cluster from its beginning to its end."""
    with reader_of(account, tmp_path) as reader:
        for command in of_first_pages():
            reader.type(command)
        reader.read(ELSEWHERE)
