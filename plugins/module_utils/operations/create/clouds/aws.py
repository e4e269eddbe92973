# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of create_cluster that are for AWS alone, and the section of the specification made of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ....api.cloud_provider import AWSSpec
from ....api.clouds import AWS
from ..option import option
from ..shared_options import SharedOptions

_option = functools.partial(option, clouds=(AWS.name,))
_TENANCY = "spec.tenancy"
_TENANCIES = ("default", "dedicated", "host")


@dataclass(frozen=True)
class AWSOptions(SharedOptions):
    """The options of AWS."""

    control_plane_tenancy: str = _option(
        "",
        "control-plane-tenancy master-tenancy",
        "ControlPlaneTenancy",
        choices=_TENANCIES,
        sets=_TENANCY,
    )
    node_tenancy: str = _option("", "node-tenancy", "NodeTenancy", choices=_TENANCIES, sets=_TENANCY)
    disable_subnet_tags: bool = _option(False, "disable-subnet-tags", "DisableSubnetTags")
    ipv6: bool = _option(False, "ipv6", "IPv6")
    api_ssl_certificate: str = _option("", "api-ssl-certificate", "APISSLCertificate")
    spotinst_product: str = _option("", "spotinst-product", "SpotinstProduct", feature="Spotinst")
    spotinst_orientation: str = _option("", "spotinst-orientation", "SpotinstOrientation", feature="Spotinst")


def section(options: AWSOptions) -> AWSSpec:
    """The section of AWS in spec.cloudProvider."""
    return AWSSpec(
        spotinst_product=options.spotinst_product or None,
        spotinst_orientation=options.spotinst_orientation or None,
    )
