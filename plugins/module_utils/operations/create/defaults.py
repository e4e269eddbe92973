# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Defaults of options that follow from other options. No later step decides them again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...api.clouds import AWS, CLOUDS
from .options import CreateOptions


def with_defaults(options: CreateOptions, environment: Mapping[str, str]) -> CreateOptions:
    """Fill in the options that follow from others. cloud stays "" if nothing says which it is."""
    cloud = options.cloud or cloud_of_store(options.config_base or options.state_store, environment)
    encrypted = options.encrypt_etcd_storage
    return dataclasses.replace(
        options,
        cloud=cloud,
        topology=options.topology or ("private" if options.ipv6 else "public"),
        dns=options.dns or ("public" if options.dns_zone else "none"),
        ssh_access=options.ssh_access or list(options.admin_access),
        encrypt_etcd_storage=cloud == AWS.name if encrypted is None else encrypted,
    )


def cloud_of_store(url: str, environment: Mapping[str, str]) -> str:
    """The cloud whose storage holds the state; "" when the address does not tell."""
    scheme, separator, _rest = url.partition("://")
    if not separator:
        return ""
    clouds = CLOUDS.values()
    if scheme == AWS.store_scheme:
        # Others have stores of the same kind (kops: pkg/clouds/supported.go).
        return next((cloud.name for cloud in clouds if environment.get(cloud.store_variable)), AWS.name)
    return next((cloud.name for cloud in clouds if cloud.store_scheme == scheme), "")
