# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers and their targets: what moto lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Kind of a load balancer -> how its ARN and its network interfaces name it, and the kind of the interfaces.
KINDS = {"network": ("net", "network_load_balancer"), "application": ("app", "interface")}


def network_interfaces_of_balancers() -> None:
    """moto's load balancers have no network interfaces, and the ARNs of network load balancers say "app".

    AWS has one interface in each subnet, which is called "ELB net/NAME/ID" and belongs to the balancer.
    """
    from moto.elbv2.models import ELBv2Backend

    create, remove, set_subnets = (
        *(ELBv2Backend.create_load_balancer, ELBv2Backend.delete_load_balancer),
        ELBv2Backend.set_subnets,
    )

    def create_load_balancer(self: Any, *arguments: Any, **options: Any) -> Any:
        mappings = options.get("subnet_mappings") or ()
        balancer = create(self, *arguments, **options)
        word, _kind = KINDS[balancer.type]
        tags = self.tagging_service.get_tag_dict_for_resource(balancer.arn)
        self.tagging_service.delete_all_tags_for_resource(balancer.arn)
        del self.load_balancers[balancer.arn]
        balancer.arn = balancer.arn.replace("/app/", f"/{word}/")
        self.load_balancers[balancer.arn] = balancer
        self.tagging_service.tag_resource(balancer.arn, [{"Key": key, "Value": tags[key]} for key in tags])
        self.have_interfaces(balancer, mappings)
        return balancer

    def delete_load_balancer(self: Any, arn: str) -> None:
        balancer = self.load_balancers.get(arn)
        remove(self, arn)
        for interface in interfaces(self, balancer) if balancer else ():
            interface.delete()

    def set_other_subnets(self: Any, arn: str, subnets: list[str], subnet_mappings: list[dict[str, Any]]) -> Any:
        zones = set_subnets(self, arn, subnets, subnet_mappings)
        self.have_interfaces(self.load_balancers[arn], subnet_mappings)
        return zones

    def name_of_interfaces(balancer: Any) -> str:
        return f"ELB {balancer.arn.partition(':loadbalancer/')[2]}"

    def interfaces(self: Any, balancer: Any) -> list[Any]:
        description = name_of_interfaces(balancer)
        return [each for each in list(self.ec2_backend.enis.values()) if each.description == description]

    def have_interfaces(self: Any, balancer: Any, mappings: Sequence[dict[str, Any]]) -> None:
        addresses = {each["SubnetId"]: each.get("PrivateIPv4Address") for each in mappings}
        found = {each.subnet.id: each for each in interfaces(self, balancer)}
        wanted = {subnet.id: subnet for subnet in balancer.subnets}
        for identity in found.keys() - wanted.keys():
            found[identity].delete()
        for identity in wanted.keys() - found.keys():
            address = addresses.get(identity) or wanted[identity].get_available_subnet_ip(balancer)
            interface = self.ec2_backend.create_network_interface(
                wanted[identity],
                address,
                group_ids=list(balancer.security_groups or ()),
                description=name_of_interfaces(balancer),
            )
            interface.status, interface.requester_managed, interface.requester_id = "in-use", True, "amazon-elb"
            interface.interface_type = KINDS[balancer.type][1]

    backend: Any = ELBv2Backend
    backend.have_interfaces = have_interfaces
    backend.create_load_balancer = create_load_balancer
    backend.delete_load_balancer = delete_load_balancer
    backend.set_subnets = set_other_subnets


def targets_end_with_their_instances() -> None:
    """moto's target groups keep the instances that a scaling group has terminated, and call them healthy."""
    from moto.ec2.models.instances import Instance
    from moto.elbv2.models import elbv2_backends

    known = Instance.terminate

    def terminate(self: Any) -> Any:
        previous = known(self)
        elbv2_backends[self.owner_id][self.ec2_backend.region_name].notify_terminate_instances([self.id])
        return previous

    Instance.terminate = terminate


def health_checks_of_classic_balancers() -> None:
    """moto's classic load balancers check nothing until they are told to; AWS' ask a port from the beginning."""
    from moto.elb.models import ELBBackend, FakeHealthCheck

    known = ELBBackend.create_load_balancer

    def create_load_balancer(self: Any, *arguments: Any, **options: Any) -> Any:
        balancer = known(self, *arguments, **options)
        target = f"TCP:{balancer.listeners[0].instance_port}"
        balancer.health_check = FakeHealthCheck(5, 10, 2, 30, target)
        return balancer

    ELBBackend.create_load_balancer = create_load_balancer
