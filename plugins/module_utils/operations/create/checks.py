# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the options by themselves: all problems, before any request to the cloud."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from ...api.addresses import parse_cidr
from ...api.clouds import CLOUDS, GCE, NONE
from ...api.validation.problems import Problems, forbidden, invalid, not_found, not_supported, required
from ...api.validation.stores import STORES
from ...api.versions import Version
from ...base.errors import FieldError, KopsError
from ...statestore.store import examples_of
from .options import OPTIONS, CreateOptions


def check_options(options: CreateOptions, feature_flags: Collection[str]) -> Problems:
    """Problems of options with their defaults; the paths are names of options."""
    return [
        *_check_required(options),
        *_check_choices(options),
        *_check_features(options, feature_flags),
        *_check_texts(options),
        *_check_zones(options),
        *_check_combinations(options),
    ]


def _check_required(options: CreateOptions) -> Problems:
    problems: Problems = []
    for name, option in OPTIONS.items():
        rules = option.rules
        if getattr(options, name) or not rules.required or (rules.clouds and options.cloud not in rules.clouds):
            continue
        purpose = f"on {options.cloud}" if rules.clouds else "to create a cluster"
        instead = f"; {' or '.join(rules.environment)} in the environment may name it as well"
        problems.append(required(name, f"is needed {purpose}{instead if rules.environment else ''}"))
    unknown = _check_store(options.state_store) if options.state_store else []
    if not options.cloud and not unknown:
        problems.append(required("cloud", "is needed, because the state store does not tell it"))
    return [*problems, *unknown]


def _check_store(url: str) -> Problems:
    """A store of which only the name is given tells no cloud, and is no directory either."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme in STORES:
        return []
    what = f"has the unknown scheme {scheme}://" if separator else "has no scheme"
    return [invalid("state_store", url, f"{what}; examples are {examples_of(rest if separator else url)}")]


def _check_choices(options: CreateOptions) -> Problems:
    problems = []
    for name, option in OPTIONS.items():
        value, choices = getattr(options, name), option.rules.choices
        if choices and value and value not in choices:
            problem = not_supported(option.rules.sets or name, value, choices)
            problems.append(dataclasses.replace(problem, where=name) if option.rules.sets else problem)
    return problems


def _check_features(options: CreateOptions, feature_flags: Collection[str]) -> Problems:
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
    for setting in options.set:
        if "=" not in setting:
            problems.append(invalid("set", setting, "is not of the form cluster.spec.<path>=<value>"))
    return problems


def _check_zones(options: CreateOptions) -> Problems:
    problems: Problems = []
    cloud = CLOUDS.get(options.cloud, NONE)
    if cloud.takes_one_zone and len(options.zones) > 1:
        problems.append(invalid("zones", ",".join(options.zones), f"{cloud.name} takes exactly one zone"))
    zones = [("zones", zone) for zone in options.zones]
    zones += [("control_plane_zones", zone) for zone in options.control_plane_zones if zone not in options.zones]
    problems += [
        invalid(name, zone, f"is not a zone of {cloud.name}: {cloud.zone_form}")
        for name, zone in zones
        if cloud.zone_pattern and not cloud.zone_pattern.fullmatch(zone)
    ]
    if cloud.zones_are_regions and options.zones:
        problems += [
            not_found("control_plane_zones", zone, "is none of the zones of the cluster")
            for zone in options.control_plane_zones
            if zone != options.zones[0]
        ]
    if cloud is GCE and len(options.subnets) > 1:
        problems.append(invalid("subnets", ",".join(options.subnets), "gce takes one subnet, that of the region"))
    return problems


def _check_combinations(options: CreateOptions) -> Problems:
    problems: Problems = []
    if options.bastion and options.topology == "public":
        problems.append(forbidden("bastion", "needs topology private; public nodes are reached directly"))
    if options.networking == "kubenet" and options.topology == "private":
        problems.append(forbidden("networking", "kubenet does not work with topology private"))
    zones, count = len(options.control_plane_zones), options.control_plane_count
    if zones and count and count < zones:
        problems.append(
            invalid("control_plane_count", count, f"{zones} control_plane_zones are named, each needs a node at least")
        )
    for name in ("control_plane_count", "node_count", "api_server_count"):
        if getattr(options, name) < 0:
            # kops takes the number and stores groups of a negative size, which no cloud accepts.
            problems.append(invalid(name, getattr(options, name), "cannot be negative"))
    if options.instance_manager == "karpenter" and not options.discovery_store:
        problems.append(required("discovery_store", "is needed by instance_manager karpenter"))
    return problems
