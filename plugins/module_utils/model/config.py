# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state store keeps of an update itself (pkg/model/config.go of kops)."""

from __future__ import annotations

from ..api import manifest
from ..cloud.tasks.managed_file import ManagedFile
from .context import ModelContext

KOPS_VERSION = "kops-version.txt"
COMPLETED_CLUSTER = "cluster-completed.spec"


def build(context: ModelContext) -> None:
    """The version that wrote the cluster, and the completed specification."""
    for name, contents in (
        (KOPS_VERSION, context.kops_version),
        (COMPLETED_CLUSTER, manifest.dump(context.cluster)),
    ):
        context.add(
            ManagedFile(name, context.layers.cluster, base=context.store_base, location=name, contents=contents)
        )
