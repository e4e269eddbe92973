# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of create_cluster for Google Cloud alone, and the section of the specification made of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ....api.cloud_provider import GCESpec
from ....api.clouds import GCE
from ....cloud.gce.cloud import PROJECT_VARIABLES
from ..option import option
from ..shared_options import SharedOptions

_option = functools.partial(option, clouds=(GCE.name,))


@dataclass(frozen=True)
class GCEOptions(SharedOptions):
    """The options of Google Cloud."""

    project: str = _option("", "project", "Project", required=True, environment=PROJECT_VARIABLES)
    gce_service_account: str = _option("", "gce-service-account", "GCEServiceAccount")


def section(options: GCEOptions) -> GCESpec:
    """The section of Google Cloud in spec.cloudProvider."""
    return GCESpec(project=options.project, service_account=options.gce_service_account or None)
