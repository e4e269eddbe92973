# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: a port on which a network load balancer listens."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....base.errors import KopsError
from ....engine.targets.hcl import Block
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ..cloud import AWSCloud
from ..elb import describe_listeners
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from .network_load_balancer import NetworkLoadBalancer

from .target_group import TargetGroup


@dataclass(eq=False, repr=False)
class NetworkLoadBalancerListener(AWSTask):
    """A listener, found by its port. With a certificate (ARN) it terminates TLS, without it passes TCP on."""

    network_load_balancer: NetworkLoadBalancer | None = None
    port: int | None = None
    target_group: TargetGroup | None = None
    ssl_certificate_id: str | None = None
    ssl_policy: str | None = None
    arn: str | None = computed()

    cloudformation_type = "AWS::ElasticLoadBalancingV2::Listener"

    def __post_init__(self) -> None:
        # None would be "don't care": a certificate that is not wanted any more has to go.
        self.ssl_certificate_id = self.ssl_certificate_id or ""

    def identity(self) -> str:
        """Its name."""
        return self.name

    def _ends(self) -> tuple[NetworkLoadBalancer, TargetGroup]:
        if self.network_load_balancer is None or self.target_group is None:
            raise KopsError(f"{self.key} needs a load balancer and a target group")
        return self.network_load_balancer, self.target_group

    def find(self, cloud: AWSCloud) -> NetworkLoadBalancerListener | None:
        balancer, group = self._ends()
        if not balancer.arn:
            return None
        for found in cloud.once(describe_listeners, balancer.arn):
            if found["Port"] == self.port:
                certificate = (found.get("Certificates") or [{}])[0].get("CertificateArn")
                actions = found.get("DefaultActions") or [{}]
                forwarded = str(actions[0].get("TargetGroupArn"))
                return dataclasses.replace(
                    self,
                    arn=found["ListenerArn"],
                    target_group=group if forwarded == group.arn else TargetGroup(name=forwarded, arn=forwarded),
                    ssl_certificate_id=certificate,
                    ssl_policy=found.get("SslPolicy") if certificate else None,
                )
        return None

    def _request(self) -> dict[str, Any]:
        _balancer, group = self._ends()
        request: dict[str, Any] = {
            "Port": self.port,
            "Protocol": self._protocol,
            "DefaultActions": [{"Type": "forward", "TargetGroupArn": group.arn}],
        }
        if self.ssl_certificate_id:
            request["Certificates"] = [{"CertificateArn": self.ssl_certificate_id}]
            if self.ssl_policy:
                request["SslPolicy"] = self.ssl_policy
        return request

    @property
    def _protocol(self) -> str:
        return "TLS" if self.ssl_certificate_id else "TCP"

    def create(self, cloud: AWSCloud) -> None:
        balancer, _group = self._ends()
        created = cloud.client("elbv2").create_listener(LoadBalancerArn=balancer.arn, **self._request())
        self.arn = created["Listeners"][0]["ListenerArn"]

    def update(self, cloud: AWSCloud, actual: NetworkLoadBalancerListener, changes: dict[str, Change]) -> None:
        elb = cloud.client("elbv2")
        if actual._protocol == self._protocol:
            elb.modify_listener(ListenerArn=actual.arn, **self._request())
            return
        # Connections cannot outlive a change of protocol: replaced, as kops does.
        elb.delete_listener(ListenerArn=actual.arn)
        self.create(cloud)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        balancer, group = self._ends()
        secured = bool(self.ssl_certificate_id)
        return {
            "Certificates": [{"CertificateArn": self.ssl_certificate_id}] if secured else None,
            "DefaultActions": [{"TargetGroupArn": target.ref(group), "Type": "forward"}],
            "LoadBalancerArn": target.ref(balancer),
            "Port": self.port,
            "Protocol": self._protocol,
            "SslPolicy": (self.ssl_policy or None) if secured else None,
        }

    def terraform(self, target: TerraformTarget) -> None:
        balancer, group = self._ends()
        secured = bool(self.ssl_certificate_id)
        target.resource(
            "aws_lb_listener",
            f"{balancer.terraform_name}-{self.port}",
            {
                "certificate_arn": self.ssl_certificate_id or None,
                "default_action": Block(target_group_arn=group.terraform_link(), type="forward"),
                "load_balancer_arn": balancer.terraform_link(),
                "port": self.port,
                "protocol": self._protocol,
                "ssl_policy": (self.ssl_policy or None) if secured else None,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        balancer, _group = self._ends()
        yield Import("aws_lb_listener", f"{balancer.terraform_name}-{self.port}", str(self.arn))
