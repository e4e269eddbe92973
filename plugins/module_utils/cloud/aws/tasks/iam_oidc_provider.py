# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: the identity provider by which AWS trusts the cluster's service accounts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, computed, unordered
from ..cloud import AWSCloud, intersect_tags, missing_tags, to_tags
from ..errors import error_code
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class IAMOIDCProvider(AWSTask):
    """An OpenID Connect provider. url: the issuer, with https://. client_ids: audiences. thumbprints: of root CAs."""

    client_ids: list[str] | None = unordered()
    thumbprints: list[str] | None = unordered()
    url: str | None = None
    tags: dict[str, str] | None = None
    arn: str | None = computed()

    immutable: ClassVar[frozenset[str]] = frozenset({"url"})
    cloudformation_type = "AWS::IAM::OIDCProvider"

    @property
    def issuer(self) -> str:
        """The issuer without its scheme, as AWS names it."""
        return str(self.url or "").split("://", 1)[-1]

    def find(self, cloud: AWSCloud) -> IAMOIDCProvider | None:
        # The provider's ARN is made of its issuer: no listing is needed.
        arn = f"arn:{cloud.partition}:iam::{cloud.account_id}:oidc-provider/{self.issuer}"
        try:
            found = cloud.client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
        except Exception as error:
            if error_code(error) == "NoSuchEntity":
                return None
            raise
        return dataclasses.replace(
            self,
            client_ids=list(found.get("ClientIDList") or ()),
            thumbprints=list(found.get("ThumbprintList") or ()),
            tags=intersect_tags(found.get("Tags"), self.tags),
            arn=arn,
        )

    def check(self, cloud: AWSCloud, actual: IAMOIDCProvider | None, changes: dict[str, Change]) -> None:
        for required in ("url", "client_ids", "thumbprints"):
            if not getattr(self, required):
                raise KopsError(f"{self.key} has no {required}")
        super().check(cloud, actual, changes)

    def create(self, cloud: AWSCloud) -> None:
        self.arn = cloud.client("iam").create_open_id_connect_provider(
            Url=self.url,
            ClientIDList=self.client_ids,
            ThumbprintList=self.thumbprints,
            Tags=to_tags(self.tags),
        )["OpenIDConnectProviderArn"]

    def update(self, cloud: AWSCloud, actual: IAMOIDCProvider, changes: dict[str, Change]) -> None:
        iam, arn = cloud.client("iam"), actual.arn
        if "thumbprints" in changes:
            iam.update_open_id_connect_provider_thumbprint(
                OpenIDConnectProviderArn=arn, ThumbprintList=self.thumbprints
            )
        if "tags" in changes:
            iam.tag_open_id_connect_provider(
                OpenIDConnectProviderArn=arn, Tags=to_tags(missing_tags(actual.tags, self.tags))
            )
        wanted, present = set(self.client_ids or ()), set(actual.client_ids or ())
        for audience in sorted(wanted - present):
            iam.add_client_id_to_open_id_connect_provider(OpenIDConnectProviderArn=arn, ClientID=audience)
        for audience in sorted(present - wanted):
            iam.remove_client_id_from_open_id_connect_provider(OpenIDConnectProviderArn=arn, ClientID=audience)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        super().cloudformation(target)
        target.output("OidcProviderArn", target.ref(self), "The identity provider of service accounts")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "ClientIdList": self.client_ids,
            "Tags": tags(self.tags),
            "ThumbprintList": self.thumbprints,
            "Url": self.url,
        }

    def terraform_link(self) -> Literal:
        """The provider's ARN as a Terraform expression."""
        return reference("aws_iam_openid_connect_provider", self.name, "arn")

    def terraform(self, target: TerraformTarget) -> None:
        target.output("iam_openid_connect_provider_arn", self.terraform_link())
        target.output("iam_openid_connect_provider_issuer", self.issuer)
        target.resource(
            "aws_iam_openid_connect_provider",
            self.name,
            {
                "client_id_list": self.client_ids,
                "tags": self.tags,
                "thumbprint_list": self.thumbprints,
                "url": self.url,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_iam_openid_connect_provider", self.name, str(self.arn))
