# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with the options by themselves: every problem at once, before anything is asked of the cloud."""

from __future__ import annotations

import re

from ...api.addresses import parse_cidr
from ...api.validation.problems import Problems, duplicate, forbidden, invalid, not_found, not_supported, required
from ...api.versions import Version
from ...base.errors import FieldError, KopsError
from ...cloud.gce.cloud import PROJECT_VARIABLES, default_project
from .cloud import cloud_of
from .feature_gates import parse_feature_gate
from .options import OPTIONS, CreateOptions
from .topology import topology_of

# Clouds whose network is one region or location: there exactly one zone is given.
_ONE_ZONE = ("digitalocean", "hetzner", "linode", "scaleway")
# How many parts, joined by hyphens, the name of a zone has.
_ZONE_PARTS = {"gce": (3, "<region>-<zone>, as us-east1-b"), "azure": (2, "<location>-<zone>, as eastus-1")}
# The region of such a name is what is before the letter; with any other, the wrong place would be asked for its zones.
_AWS_ZONE = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]+[a-z]")
# Options without which there is no cluster, and what may stand in for them.
_NEEDED = {
    "name": "; KOPS_CLUSTER_NAME in the environment may name it as well",
    "state_store": "; KOPS_STATE_STORE in the environment may name it as well",
    "zones": "",
}


def check_options(options: CreateOptions, feature_flags: frozenset[str]) -> Problems:
    """All problems of the options; paths are option names."""
    problems: Problems = []
    for name, instead in _NEEDED.items():
        if not getattr(options, name):
            problems.append(required(name, f"is needed to create a cluster{instead}"))
    problems += _check_choices(options)
    problems += _check_features(options, feature_flags)
    problems += _check_texts(options)
    problems += _check_cloud_and_zones(options, feature_flags)
    problems += _check_combinations(options)
    return problems


def _check_choices(options: CreateOptions) -> Problems:
    problems = []
    for name, option in OPTIONS.items():
        value, choices = getattr(options, name), option.rules.choices
        if choices and value and value not in choices:
            problems.append(not_supported(name, value, choices))
    return problems


def _check_features(options: CreateOptions, feature_flags: frozenset[str]) -> Problems:
    return [
        forbidden(name, f"needs the feature flag {option.rules.feature}")
        for name, option in OPTIONS.items()
        if option.rules.feature
        and option.rules.feature not in feature_flags
        and getattr(options, name) != option.default
    ]


def _check_texts(options: CreateOptions) -> Problems:
    problems: Problems = []
    if options.kubernetes_version:
        try:
            Version.parse(options.kubernetes_version)
        except KopsError as error:
            problems.append(FieldError("Invalid", "kubernetes_version", str(error)))
    for cidr in options.network_cidr:
        if parse_cidr(cidr) is None:
            problems.append(invalid("network_cidr", cidr, "is not an address range; write for example 10.0.0.0/16"))
    for gate in options.kubernetes_feature_gates:
        try:
            parse_feature_gate(gate)
        except ValueError as error:
            problems.append(invalid("kubernetes_feature_gates", gate, str(error)))
    for setting in options.set:
        if "=" not in setting:
            problems.append(invalid("set", setting, "is not of the form cluster.spec.<path>=<value>"))
    return problems


def _check_cloud_and_zones(options: CreateOptions, feature_flags: frozenset[str]) -> Problems:
    problems: Problems = []
    cloud = cloud_of(options)
    if not cloud:
        problems.append(required("cloud", "is needed, because the state store does not tell it"))
    if cloud in _ONE_ZONE and len(options.zones) > 1:
        problems.append(invalid("zones", ",".join(options.zones), f"{cloud} takes exactly one zone"))
    zones = [("zones", zone) for zone in options.zones]
    zones += [("control_plane_zones", zone) for zone in options.control_plane_zones if zone not in options.zones]
    for name in ("zones", "control_plane_zones"):
        named = getattr(options, name)
        problems += [duplicate(name, zone) for zone in sorted({zone for zone in named if named.count(zone) > 1})]
    if cloud == "aws":
        message = "is not a zone of aws: <region><letter>, as us-east-1a"
        problems += [invalid(name, zone, message) for name, zone in zones if not _AWS_ZONE.fullmatch(zone)]
    if cloud in _ZONE_PARTS:
        parts, form = _ZONE_PARTS[cloud]
        problems += [
            invalid(name, zone, f"is not a zone of {cloud}: {form}")
            for name, zone in zones
            if len(zone.split("-")) < parts or (cloud == "azure" and len(zone.split("-")) > parts)
        ]
    if cloud in ("digitalocean", "linode") and options.zones:
        problems += [
            not_found("control_plane_zones", zone, "is none of the zones of the cluster")
            for zone in options.control_plane_zones
            if zone != options.zones[0]
        ]
    if cloud == "gce" and len(options.subnets) > 1:
        problems.append(invalid("subnets", ",".join(options.subnets), "gce takes one subnet, that of the region"))
    if cloud == "gce" and not (options.project or default_project()):
        problems.append(required("project", f"is needed on gce; {' or '.join(PROJECT_VARIABLES)} may name it as well"))
    return problems


def _check_combinations(options: CreateOptions) -> Problems:
    problems: Problems = []
    topology = topology_of(options)
    if options.bastion and topology == "public":
        problems.append(forbidden("bastion", "needs topology private; public nodes are reached directly"))
    if options.networking == "kubenet" and topology == "private":
        problems.append(forbidden("networking", "kubenet does not work with topology private"))
    zones, count = len(options.control_plane_zones), options.control_plane_count
    if zones and count and count < zones:
        problems.append(
            invalid("control_plane_count", count, f"{zones} control_plane_zones are named, each needs a node at least")
        )
    for name in ("control_plane_count", "node_count", "api_server_count"):
        if getattr(options, name) < 0:
            problems.append(invalid(name, getattr(options, name), "cannot be negative"))
    if options.instance_manager == "karpenter" and not options.discovery_store:
        problems.append(required("discovery_store", "is needed by instance_manager karpenter"))
    return problems
