# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options from which a cluster is created: one table for module arguments, playbook variables and kops' own names.

Source of names and defaults: kops' ``create cluster`` command (cmd/kops/create_cluster.go) and the options that it is
built on (upup/pkg/fi/cloudup/new_cluster.go).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from .clouds.aws import AWSOptions
from .clouds.azure import AzureOptions
from .clouds.gce import GCEOptions
from .clouds.openstack import OpenstackOptions
from .clouds.vsphere import VSphereOptions
from .option import Option


@dataclass(frozen=True)
class CreateOptions(AWSOptions, AzureOptions, GCEOptions, OpenstackOptions, VSphereOptions):
    """Options for a new cluster, as the user gives them. "", 0, an empty list and None mean "not given".

    Those that read_options (read.py) gives are checked, and decided where defaults.py says so.

    Sizes of volumes are in GB; zones, types, networks and images are named as the cloud names them.
    """


def _rows() -> dict[str, Option]:
    initial = CreateOptions()
    return {
        declared.name: Option(
            declared.name, str(declared.type), getattr(initial, declared.name), declared.metadata["rules"]
        )
        for declared in dataclasses.fields(CreateOptions)
    }


OPTIONS: dict[str, Option] = _rows()


def argument_spec() -> dict[str, dict[str, Any]]:
    """The module arguments of all options."""
    return {name: option.argument for name, option in OPTIONS.items()}
