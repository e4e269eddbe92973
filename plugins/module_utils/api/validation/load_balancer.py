# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.api.loadBalancer."""

from __future__ import annotations

import re

from ..addresses import parse_address, parse_cidr
from ..clouds import AWS, cloud_of
from ..cluster import Cluster, LoadBalancerAccessSpec, LoadBalancerSubnetSpec
from ..networking import ClusterSubnetSpec
from ..questions import uses_none_dns
from .problems import Problems, duplicate, forbidden, invalid, not_found, one_of, required
from .security_groups import validate_security_group_override, validate_security_groups

TYPES = ("Public", "Internal")
CLASSES = ("Network",)
# Of ACM, or of IAM.
_CERTIFICATE = re.compile(r"arn:[^:]+:(?:acm|iam):\S+")
# Attribute -> manifest key, of what only AWS has.
AWS_ONLY = {
    "class_": "class",
    "security_group_override": "securityGroupOverride",
    "additional_security_groups": "additionalSecurityGroups",
    "ssl_certificate": "sslCertificate",
    "ssl_policy": "sslPolicy",
    "cross_zone_load_balancing": "crossZoneLoadBalancing",
    "access_log": "accessLog",
}


def validate_load_balancer(cluster: Cluster, balancer: LoadBalancerAccessSpec, strict: bool) -> Problems:
    """The API's load balancer. An unknown type passes in kops at first; its model refuses it later."""
    path = "spec.api.loadBalancer"
    found = one_of(f"{path}.type", balancer.type or None, TYPES)
    if balancer.type == "Internal" and not any(subnet.type == "Private" for subnet in cluster.spec.networking.subnets):
        found.append(forbidden(f"{path}.type", "Internal needs at least one subnet of type Private"))
    if cloud_of(cluster) is AWS:
        return found + _validate_on_aws(cluster, balancer, strict, path)
    for attribute, key in AWS_ONLY.items():
        value = getattr(balancer, attribute)
        if value is not None and value not in ("", []):
            found.append(forbidden(f"{path}.{key}", "is available on AWS only"))
    return found


def validate_references(balancer: LoadBalancerAccessSpec, path: str) -> Problems:
    """What the load balancer names of AWS, which looks at it only when it makes one."""
    found: Problems = []
    certificate = balancer.ssl_certificate or ""
    if certificate and not _CERTIFICATE.fullmatch(certificate):
        message = "must be the ARN of a certificate, such as arn:aws:acm:us-east-1:123456789012:certificate/id"
        found.append(invalid(f"{path}.sslCertificate", certificate, message))
    for index, subnet in enumerate(balancer.subnets):
        if subnet.allocation_id and not subnet.allocation_id.startswith("eipalloc-"):
            message = "must be the id of an elastic IP, eipalloc-..."
            found.append(invalid(f"{path}.subnets[{index}].allocationID", subnet.allocation_id, message))
    return found


def _validate_on_aws(cluster: Cluster, balancer: LoadBalancerAccessSpec, strict: bool, path: str) -> Problems:
    kind = balancer.class_ or ""
    is_network = kind == "Network"
    found: Problems = []
    if kind == "Classic":
        found.append(forbidden(f"{path}.class", "classic load balancers are no longer supported; use Network"))
    elif strict or kind:
        found += one_of(f"{path}.class", kind, CLASSES)
    if uses_none_dns(cluster) and not is_network:
        found.append(forbidden(f"{path}.type", "DNS topology None needs a load balancer of class Network"))
    found += validate_security_group_override(balancer.security_group_override, f"{path}.securityGroupOverride")
    found += validate_security_groups(balancer.additional_security_groups, f"{path}.additionalSecurityGroups")
    if is_network and balancer.use_for_internal_api and balancer.type == "Internal":
        found.append(
            forbidden(
                f"{path}.useForInternalAPI", "an Internal load balancer cannot lead a control-plane node to itself"
            )
        )
    if balancer.ssl_certificate and not is_network:
        found.append(forbidden(f"{path}.sslCertificate", "needs class Network"))
    if balancer.ssl_policy is not None:
        if not is_network:
            found.append(forbidden(f"{path}.sslPolicy", "needs class Network"))
        if not balancer.ssl_certificate:
            found.append(forbidden(f"{path}.sslPolicy", "needs sslCertificate"))
    subnets = {subnet.name: subnet for subnet in cluster.spec.networking.subnets}
    for index, subnet in enumerate(balancer.subnets):
        if subnet.name and subnet.name in [each.name for each in balancer.subnets[:index]]:
            found.append(duplicate(f"{path}.subnets[{index}].name", subnet.name))
        found += _validate_subnet(balancer, subnet, subnets, f"{path}.subnets[{index}]")
    return found


def _validate_subnet(
    balancer: LoadBalancerAccessSpec,
    subnet: LoadBalancerSubnetSpec,
    subnets: dict[str | None, ClusterSubnetSpec],
    path: str,
) -> Problems:
    found: Problems = []
    place = subnets.get(subnet.name) if subnet.name else None
    if not subnet.name:
        found.append(required(f"{path}.name", "the name of one of the cluster's subnets is needed"))
    elif place is None:
        known = ", ".join(name for name in subnets if name) or "none"
        found.append(not_found(f"{path}.name", subnet.name, f"is not a subnet of the cluster; it has {known}"))
    if subnet.private_ipv4_address is not None:
        found += _validate_address(balancer, subnet.private_ipv4_address, place, f"{path}.privateIPv4Address")
    if subnet.allocation_id is not None:
        if not subnet.allocation_id:
            found.append(required(f"{path}.allocationID", "must be the id of an elastic IP, eipalloc-..."))
        if balancer.class_ != "Network" or balancer.type == "Internal":
            found.append(forbidden(f"{path}.allocationID", "needs a Public load balancer of class Network"))
    return found


def _validate_address(
    balancer: LoadBalancerAccessSpec, text: str, place: ClusterSubnetSpec | None, path: str
) -> Problems:
    found: Problems = []
    if not text:
        found.append(required(path, "must be an IPv4 address"))
    address = parse_address(text)
    network = parse_cidr(place.cidr or "") if place else None
    if address is None or address.version != 4:
        found.append(invalid(path, text, "must be an IPv4 address"))
    elif network is not None and address not in network:
        found.append(invalid(path, text, f"is not inside the subnet's CIDR {network}"))
    if balancer.class_ != "Network" or balancer.type != "Internal":
        found.append(forbidden(path, "needs an Internal load balancer of class Network"))
    return found
