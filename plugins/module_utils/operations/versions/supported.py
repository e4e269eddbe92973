# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of Kubernetes and channels that a cluster may have.

The range is kops', with its own ways out (apply_cluster.go).
"""

from __future__ import annotations

import os

from ...api.cluster import Cluster
from ...api.validation.semver import any_version, full_version
from ...api.versions import Version, is_build_url
from ...base.errors import FieldError, KopsError
from ...channels.loader import load_channel
from ...completion.settings import KOPS_VERSION

OLDEST_KUBERNETES = Version.parse("1.32.0")
# Older ones are warned of.
RECOMMENDED_KUBERNETES = Version.parse("1.34.0")
_OWN = Version.parse(KOPS_VERSION)
NEWEST_MINOR = (_OWN.major, _OWN.minor + 1)


def problems_of_channel(cluster: Cluster) -> list[FieldError]:
    """A channel that is none, or a file that cannot be read. A URL is read once it is needed, maybe elsewhere."""
    channel = cluster.spec.channel or ""
    if not channel or channel.startswith(("http://", "https://")):
        return []
    try:
        load_channel(channel)
    except KopsError as error:
        return [FieldError("Invalid", "spec.channel", str(error))]
    return []


def problems_of_version(cluster: Cluster) -> list[FieldError]:
    """A version that is too old, or newer than any that is known. What is no version at all, validation refuses."""
    text = cluster.spec.kubernetes_version or ""
    version = any_version(text)
    if version is None:
        return []
    if not is_build_url(text) and not full_version(text.removeprefix("v")):
        message = f"must be a full version, such as {RECOMMENDED_KUBERNETES}: nodes get the files of just that one"
        return [FieldError("Invalid", "spec.kubernetesVersion", message, text)]
    if version < OLDEST_KUBERNETES and not os.environ.get("KOPS_RUN_OBSOLETE_VERSION"):
        message = f"Kubernetes {OLDEST_KUBERNETES} is the oldest supported version"
        return [FieldError("Invalid", "spec.kubernetesVersion", message, text)]
    is_newer = (version.major, version.minor) > NEWEST_MINOR
    if is_newer and not is_build_url(text) and not os.environ.get("KOPS_RUN_TOO_NEW_VERSION"):
        newest = ".".join(map(str, NEWEST_MINOR))
        message = (
            f"Kubernetes {newest} is the newest minor version that this version of the collection knows; a newer one is"
            " tried with KOPS_RUN_TOO_NEW_VERSION in the environment"
        )
        return [FieldError("Invalid", "spec.kubernetesVersion", message, text)]
    return []
