# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of updates, rendered as Terraform: blocks of kubernetes.tf and files beside it, compared by meaning.

Left out, because they carry kops' own node program or addon manifests: the content of user data, and the objects of
the state store that hold addons, static pods and node configurations. Without DNS, kops tells workers a name that
nothing publishes; so how a configuration here finds out the addresses, and puts them into user data, is left out, too.
So is what keeps Terraform from destroying etcd's volumes: kops writes nothing of the kind, and a unit test looks at it.
Servers of Hetzner are in no configuration here (docs/terraform.md).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import os
import re
import unittest.mock
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hcl2
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS, HETZNER
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dns_zone import DNSZone, short_id
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.network_load_balancer import NODE_ADDRESSES
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import credentials
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.account import Account as HetznerAccount
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.managed_file import (
    ContentAddressedFile,
    ManagedFile,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.rendering import LateValues
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import (
    CONFIGURATION,
    VALUES,
    TerraformTarget,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.iam.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.phases import layers, lifecycle_overrides
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import builders_of
from ansible_collections.kubeops.kops.tests.support.stored import Given

from tests.support.upstream import without_definitions

from . import completed
from .results import DIFFERING, MATCHED, MISSING, Result, about, differences, part_of

# The objects of the state store that are no addon, static pod or node configuration.
COMPARED_OBJECTS = re.compile(
    r'resource "aws_s3_object" "(cluster-completed-spec|kops-version-txt|etcd-cluster-spec-.*|(keys|discovery)-json)"'
)
COMPARED_FILES = re.compile(
    r"aws_(iam_|sqs_|cloudwatch_|key_pair)|aws_s3_object_(cluster-completed|kops-version|etcd-cluster|keys|discovery)"
)
# What a configuration finds out about the load balancer for workers without DNS, and where that is in user data.
_FOUND_ADDRESSES = 'data "aws_network_interface"'
_WITH_ADDRESSES = re.compile(
    r'base64encode\(replace\((file\("[^"]*"\)), "@@terraform:(\w+)@@", join\(",", local\.\2\)\)\)'
)
# What is added to the volumes of etcd.
_VOLUME = re.compile(r'resource "(?:aws_ebs_volume|google_compute_disk|hcloud_volume)"')
_PROTECTION = "  lifecycle {\n    prevent_destroy = true\n  }\n"
_KEY, _KEPT_KEY = 'resource "aws_key_pair"', "  lifecycle {\n    ignore_changes = [public_key]\n  }\n"
# What kops leaves to chance: a load balancer of Hetzner is attached to its network after the subnet is there.
_ORDERED, _ORDER = 'resource "hcloud_load_balancer', re.compile(r"^  depends_on +=.*\n", re.MULTILINE)
# Servers come and go, and an update without a target makes them.
_SERVERS = 'resource "hcloud_server"'
_LOCAL_ADDRESSES = re.compile(rf"^  {NODE_ADDRESSES} .*\n", re.MULTILINE)
# The providers of the clouds that can be rendered.
RENDERED = ("aws", "google", "hcloud")
# kops does not have what the phases after the network write.
PHASES = ("", "network")
_PROVIDER = re.compile(r'^provider "(\w+)"', flags=re.MULTILINE)
_BLOCK_HEAD = re.compile(r'^(\w+)((?: "[^"]*")*) \{$')
REGION = "us-test-1"
ACCOUNT = "123456789012"
PARTITION = "aws-test"
# What is attached to the shared VPC: found by looking, named nowhere in a manifest.
FOUND = {"InternetGateway": "igw-1", "EgressOnlyInternetGateway": "eigw-1"}
# A private hosted zone, and the VPC that sees it already.
SEEN = ("Z3AFAKE1ZOMORE", "vpc-12345678")
KEYSETS = "facts/keysets.yaml"
_CREDENTIALS = (credentials.TOKEN, credentials.ACCESS_KEY, credentials.SECRET_KEY)


@dataclass(frozen=True)
class Case:
    """A case: its manifest, and what else there is before the update."""

    source: completed.Case
    features: frozenset[str]
    overrides: tuple[str, ...] = ()
    has_ssh_key: bool = True
    phase: str = ""

    @property
    def expected(self) -> Path:
        """What kops writes; with a phase, as much of it as that brings about."""
        return self.directory / (f"{self.phase}-{CONFIGURATION}" if self.phase else CONFIGURATION)

    @property
    def provider(self) -> str:
        """The provider of the case's cloud; other clouds' cases have that of AWS as well, for files, after it."""
        return _PROVIDER.findall(self.expected.read_text())[0]

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def directory(self) -> Path:
        return self.source.directory


def cases(directory: Path) -> list[Case]:
    """The cases of clouds that can be rendered, below a directory of golden cases."""
    found = []
    for source, phase in itertools.product(completed.cases(directory), PHASES):
        meta = about(source.directory)
        case = Case(
            source,
            source.feature_flags,
            tuple(meta.get("lifecycleOverrides", ())),
            not meta.get("withoutSSHKey"),
            phase,
        )
        if case.expected.is_file() and case.provider in RENDERED:
            found.append(case)
    return found


def model_context(case: Case, done: completed.Completed, late_values: LateValues = VALUES) -> ModelContext:
    """What an update of a case is planned with. late_values: of its target."""
    key = case.directory / "id_rsa.pub"
    return ModelContext(
        cluster=done.cluster,
        groups=done.groups,
        facts=done.facts,
        account=HetznerAccount() if case.provider == PROVIDERS[HETZNER].name else Account(ACCOUNT, PARTITION),
        kops_version=done.settings.kops_version,
        features=case.features,
        ssh_public_keys=[key.read_text()] if case.has_ssh_key and key.is_file() else [],
        stored=Given(
            with_checksums=lambda files: [dataclasses.replace(file, sha256=file.sha256 or "0" * 64) for file in files],
            signing_certificates=lambda: _signing_certificates(part_of(case.directory.parents[1], KEYSETS)),
            read_upstream=without_definitions,
        ),
        layers=layers(case.phase),
        lifecycle_overrides=lifecycle_overrides(case.overrides),
        target=late_values,
    )


@functools.cache
def _signing_certificates(keysets: Path) -> list[bytes]:
    keyset = yaml.safe_load(keysets.read_text())["service-account"]
    return [text.encode() for name, text in keyset.items() if name.endswith("Certificate")]


@functools.cache
def rendered(case: Case, *, has_variables: bool = False) -> dict[str, bytes]:
    """The files of a case: path -> content. has_variables: for users who want them; kops has none."""
    done = completed.complete(case.source)
    context, builders = model_context(case, done), builders_of(done.cluster)
    target = builders.terraform_target(done.cluster, context.region)
    target.has_variables = has_variables
    target.output("cluster_name", context.name)
    target.output("region", context.region)
    return target.render(map(_in_testing_bucket, wanted(case, done, context)))


def wanted(case: Case, done: completed.Completed, context: ModelContext) -> list[Task[Any]]:
    """The tasks of a case that are rendered, with what is found by looking."""
    # What control planes would be given, where the controller gives it.
    with unittest.mock.patch.dict(os.environ, dict.fromkeys(_CREDENTIALS, "fake")):
        tasks: Collection[Any] = builders_of(done.cluster).build(context).values()
    for task in tasks:
        if getattr(task, "shared", False) and task.kind in FOUND:
            task.id = FOUND[task.kind]
        if isinstance(task, DNSZone) and task.private_vpc:
            task.associated = (short_id(str(task.zone_id)), task.private_vpc.id) == SEEN
    # As in an update: what Terraform would remove too early is written by us.
    return [task for task in tasks if not isinstance(task, ContentAddressedFile) and not task.made_directly]


class _FileInMemory(ManagedFile):
    """A file of a store in memory, which kops' cases render as if it were in one bucket of the cluster's region."""

    def terraform(self, target: TerraformTarget) -> None:
        base, location = str(self.base).partition("://")[2], str(self.location)
        target.resource(
            "aws_s3_object",
            self.name,
            {
                "bucket": "testingBucket",
                "content": target.file("aws_s3_object", self.name, "content", self.data),
                "key": f"{base.rstrip('/')}/{location}",
                "provider": target.files_provider(PROVIDERS[AWS], {"region": REGION}),
                "server_side_encryption": "AES256",
            },
        )


def _in_testing_bucket(task: Task) -> Task:
    if not isinstance(task, ManagedFile) or not str(task.base).startswith("memfs://"):
        return task
    return _FileInMemory(**{field.name: getattr(task, field.name) for field in dataclasses.fields(task)})


def compare(case: Case) -> list[Result]:
    """Every block and every file of a case: matched, differing (what differs), missing (not rendered) or additional."""
    try:
        actual = rendered(case)
    except KopsError as error:
        return [Result(case.name, CONFIGURATION, DIFFERING, f"refused: {error}")]
    blocks = _without_order(_without_protection(_without_addresses(_blocks(actual[CONFIGURATION].decode()))))
    results = list(_compare_blocks(case, blocks))
    results += _compare_files(case, actual)
    return results


def _compare_blocks(case: Case, actual: dict[str, str]) -> Iterator[Result]:
    expected = _blocks(case.expected.read_text())
    for address in sorted(expected.keys() | actual.keys()):
        if address.startswith(_SERVERS) or ("aws_s3_object" in address and not COMPARED_OBJECTS.match(address)):
            continue
        if address not in actual:
            yield Result(case.name, address, MISSING)
        elif address not in expected:
            yield Result(case.name, address, DIFFERING, "additional")
        elif expected[address] == actual[address]:
            yield Result(case.name, address, MATCHED)
        else:
            detail = "; ".join(differences(_parsed(expected[address]), _parsed(actual[address])))
            yield Result(case.name, address, DIFFERING if detail else MATCHED, detail)


def _blocks(text: str) -> dict[str, str]:
    """The top-level blocks by their head; providers are told apart by their place."""
    blocks: dict[str, str] = {}
    for chunk in re.split(r"(?<=^\}\n)\n*", text, flags=re.MULTILINE):
        head = chunk.partition("\n")[0]
        if not _BLOCK_HEAD.match(head):
            continue
        address = head[:-2]
        blocks[f"{address} (2)" if address in blocks else address] = chunk
    return blocks


def _without_addresses(blocks: dict[str, str]) -> dict[str, str]:
    """The blocks as they would be if user data named no addresses."""
    return {
        address: _LOCAL_ADDRESSES.sub("", _WITH_ADDRESSES.sub(_plain_user_data, text))
        for address, text in blocks.items()
        if not address.startswith(_FOUND_ADDRESSES)
    }


def _without_protection(blocks: dict[str, str]) -> dict[str, str]:
    """The blocks as they would be if Terraform might destroy the volumes of etcd, and replace keys it has imported."""

    def plain(address: str, text: str) -> str:
        text = text.replace(_PROTECTION, "") if _VOLUME.match(address) else text
        return text.replace(_KEPT_KEY, "") if address.startswith(_KEY) else text

    return {address: plain(address, text) for address, text in blocks.items()}


def _without_order(blocks: dict[str, str]) -> dict[str, str]:
    """The blocks as they would be if they did not name what they have to wait for."""
    return {address: _ORDER.sub("", text) if address.startswith(_ORDERED) else text for address, text in blocks.items()}


def _plain_user_data(found: re.Match[str]) -> str:
    return found[1].replace("file(", "filebase64(")


def _parsed(block: str) -> Any:
    return hcl2.loads(block)


def _compare_files(case: Case, actual: dict[str, bytes]) -> Iterator[Result]:
    directory = case.directory / "data"
    expected = {path.name: path.read_bytes() for path in directory.iterdir()} if directory.is_dir() else {}
    given = {name[len("data/") :]: content for name, content in actual.items() if name.startswith("data/")}
    for name in sorted(filter(COMPARED_FILES.match, expected.keys() | given.keys())):
        if name not in given:
            yield Result(case.name, f"data/{name}", MISSING)
        elif name not in expected:
            # The sample does not hold every file: only its absence among those that are referred to is a difference.
            continue
        else:
            same = meaning(expected[name]) == meaning(given[name])
            yield Result(case.name, f"data/{name}", MATCHED if same else DIFFERING)


def meaning(content: bytes) -> Any:
    """A file as data: JSON or YAML where it is such, else its text; kops' files have a line end more."""
    text = content.decode()
    try:
        return json.loads(text)
    except ValueError:
        return yaml.safe_load(text) if text.startswith("apiVersion:") else text.strip()
