# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the documentation, page by page and as they stand there, in an account on loopback.

tests/documented/runs.py says which commands are not run, and why. The output that a page shows is compared, too.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.tests.documented import reader as documented
from ansible_collections.kubeops.kops.tests.documented.pages import blocks
from ansible_collections.kubeops.kops.tests.documented.proofs import extra_variables, playbook_of
from ansible_collections.kubeops.kops.tests.documented.runs import run_commands
from ansible_collections.kubeops.kops.tests.documented.shell import Command, commands
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    PUBLIC_KEY,
    Account,
    ansible_environment,
    fresh_account,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

RUN = run_commands(commands())
# Pages that begin without a cluster, and end without one.
FIRST = ("README.md", "docs/start-aws.md")
PAGES = sorted({command.page for command in RUN})
# What pages name as the state store.
BUCKETS = ("example-kops-state", "example-state")
# A plan's number; pages show one of another plan.
PLAN = re.compile(r"\bPlan ([0-9a-f]{16})\b")
SHOWN_PLAN = "0123456789abcdef"
# The number of a plan without objects, which is not shown.
NOTHING = hashlib.sha256(b"").hexdigest()[:16]
# Commands that a page shows with their failure -> what it is.
FAILURES = {
    # Nothing runs in the instances of this account, so not all of it can be looked at.
    "ansible-playbook kubeops.kops.drift -e kops_fail_on_drift=true": "no drift in what could be looked at",
    "ansible-playbook kubeops.kops.update_cluster -e kops_policy=policy/company.yml --check": (
        "the policy forbids this, nothing was written"
    ),
    "ansible-playbook kubeops.kops.update_cluster -e kops_target=cloud -e kops_node_cuont=3 -e kops_zones=us-east-1a": (
        "wrong variables for update_cluster"
    ),
}
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


class Reader(documented.Reader):
    """One with an account in the cloud, and with the files that pages name."""

    def __init__(self, account: Account, directory: pathlib.Path) -> None:
        super().__init__(directory, {**os.environ, **ansible_environment()})
        self.use("KOPS_STATE_STORE=s3://example-kops-state", "KOPS_CLUSTER_NAME=demo.example.com")
        self.plan = ""
        for name in BUCKETS:
            account.client("s3").create_bucket(Bucket=name)
            account.client("s3").put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        for name in ("clusters/demo", "policy"):
            (directory / name).mkdir(parents=True)
        (directory / "encryption.yml").write_text(ENCRYPTION)
        (directory / "id.pub").write_text(PUBLIC_KEY)
        rules = [block.text for block in blocks() if block.page == "docs/policy.md" and block.text[:6] == "rules:"]
        (directory / "policy" / "company.yml").write_text(rules[-1])
        (directory / "policy" / "platform.yml").write_text(POLICY)

    def has_a_cluster(self) -> None:
        """Create the cluster that pages speak of; its manifests are in the files that they name."""
        self.play("kubeops.kops.create_cluster", "-e", "kops_zones=us-east-1a", "-e", "kops_ssh_public_key=id.pub")
        self.play("kubeops.kops.get", "-e", "kops_manifest=cluster.yml")
        (self.directory / "clusters" / "demo" / "cluster.yml").write_text((self.directory / "cluster.yml").read_text())

    def read(self, page: str) -> None:
        """Type the commands of a page, one after the other, in a new shell."""
        before = {**self.environment}
        for command in (command for command in commands() if command.page == page):
            if command.program == "export":
                self.use(*command.words[1:])
            elif command in RUN:
                self.type(command)
        self.environment = before

    def type(self, command: Command) -> None:
        words = [self.here(word).replace(SHOWN_PLAN, self.plan or SHOWN_PLAN) for word in command.words[1:]]
        failure = FAILURES.get(str(command), "")
        output = self.play(*words, expect=2 if failure else 0)
        assert failure in output
        self.plan = (PLAN.findall(output) or [NOTHING if "Nothing to do" in output else self.plan])[-1]
        written = extra_variables(command).get("kops_manifest")
        if playbook_of(command) == "get" and written:
            self.edit(written)
        documented.compare(command, output, _plain)

    def edit(self, name: str) -> None:
        """Give groups of nodes one more, as a page says to do between its commands."""
        path = self.directory / name
        before = path.read_text().split("---\n")
        after = [text.replace("maxSize: 1\n", "maxSize: 2\n") if "role: Node" in text else text for text in before]
        assert after != before
        path.write_text("---\n".join(after))


def _plain(text: str) -> str:
    return PLAN.sub("Plan", text)


@pytest.fixture(scope="module")
def reader(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """One whose cluster is there already."""
    directory = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        found = Reader(fresh_account(server, patch, directory), directory)
        found.has_a_cluster()
        yield found


@pytest.mark.parametrize("page", [page for page in PAGES if page not in FIRST])
def test_commands_of_a_page(page: str, reader: Reader) -> None:
    reader.read(page)


def test_commands_of_first_pages(account: Account, tmp_path: pathlib.Path) -> None:
    """They are about a cluster from its beginning to its end."""
    reader = Reader(account, tmp_path)
    for page in FIRST:
        reader.read(page)
