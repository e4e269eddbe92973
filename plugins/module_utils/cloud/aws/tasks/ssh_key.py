# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key pair that instances let in by SSH."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, ignoring, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ..cloud import intersect_tags, tag_specifications
from ._ec2 import KEY_PAIRS, add_tags
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


@dataclass(eq=False, repr=False)
class SSHKey(AWSTask):
    """A key pair, named by its name.

    public_key: the OpenSSH line; None to use a key pair that exists. shared: it is the user's own and not tagged.
    """

    id: str | None = computed()
    shared: bool | None = None
    public_key: str | None = None
    key_fingerprint: str | None = computed()
    tags: dict[str, str] | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"public_key"})
    cloudformation_type = "AWS::EC2::KeyPair"

    def prepare(self, cloud: AWSCloud) -> None:
        KEY_PAIRS.want(cloud, self.name)

    def find(self, cloud: AWSCloud) -> SSHKey | None:
        pair = next((pair for pair in cloud.once(_read_key_pairs) if pair["KeyName"] == self.name), None)
        if pair is None:
            return None
        have = pair.get("PublicKey")
        same = have is None or _material(have) == _material(self.public_key)
        return SSHKey(
            name=self.name,
            id=pair.get("KeyPairId"),
            shared=self.shared,
            public_key=self.public_key if same else have,
            key_fingerprint=pair.get("KeyFingerprint"),
            tags=self.tags if self.shared else intersect_tags(pair.get("Tags"), self.tags),
        )

    def identity(self) -> str:
        return self.name

    def check(self, cloud: AWSCloud, actual: SSHKey | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        if actual is None and self.public_key is None:
            raise KopsError(
                f"{self.key}: the cluster is to use an existing key pair, and {cloud.region} has none of that name"
            )

    def create(self, cloud: AWSCloud) -> None:
        answer = cloud.client("ec2").import_key_pair(
            KeyName=self.name,
            PublicKeyMaterial=(self.public_key or "").encode(),
            TagSpecifications=tag_specifications("key-pair", self.tags),
        )
        self.id, self.key_fingerprint = answer["KeyPairId"], answer["KeyFingerprint"]

    def update(self, cloud: AWSCloud, actual: SSHKey, changes: dict[str, Change]) -> None:
        if "tags" in changes and not self.shared:
            add_tags(cloud, str(actual.id), self.tags, actual.tags)

    @property
    def existing(self) -> str | None:
        """Its name, if it is there already."""
        return self.name if self.public_key is None else None

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "KeyName": self.name,
            "PublicKeyMaterial": self.public_key,
            "Tags": tags(self.tags),
        }

    def terraform(self, target: TerraformTarget) -> None:
        if self.public_key is None:
            return
        name = self._terraform_name()
        target.resource(
            "aws_key_pair",
            name,
            {
                "key_name": self.name,
                # AWS does not say it, so an imported key would be replaced. Another key has another name.
                "lifecycle": ignoring("public_key"),
                "public_key": target.file("aws_key_pair", name, "public_key", self.public_key),
                "tags": self.tags,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        if self.public_key is not None:
            yield Import("aws_key_pair", self._terraform_name(), self.name)

    def terraform_link(self) -> Literal | str:
        """The key pair's name as other resources write it."""
        return self.name if self.public_key is None else reference("aws_key_pair", self._terraform_name())

    def _terraform_name(self) -> str:
        # The fingerprint in the name is written with colons.
        return self.name.replace(":", "")


def _read_key_pairs(cloud: AWSCloud) -> list[dict[str, Any]]:
    names = [{"Name": KEY_PAIRS.id_filter, "Values": cloud.wanted(KEY_PAIRS.operation)}]
    return cloud.paged("ec2", KEY_PAIRS.operation, KEY_PAIRS.result, Filters=names, IncludePublicKey=True)


def _material(public_key: str | None) -> list[str]:
    """Type and key without the comment, which AWS replaces."""
    return (public_key or "").split()[:2]
