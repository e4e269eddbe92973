# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What completion depends on besides the cluster and the cloud's facts: versions, channel, feature flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..channels.channel import Channel
from ..channels.stable import STABLE

# The kops whose rules and constants this collection follows.
KOPS_VERSION = "1.37.0-alpha.1"

DEFAULT_FEATURE_FLAGS = frozenset({"SpotinstController", "TerraformManagedFiles", "ImageDigest"})


@dataclass(frozen=True)
class Settings:
    """Everything is data, so that the same settings give the same completed cluster.

    feature_flags: names of the kops feature flags that are on.
    running_kubernetes_version: what the control plane runs while it is being upgraded; worker kubelets are not
        completed for anything newer. None: the cluster's own version.
    bucket_regions: region of S3 buckets by their name, for the public URL of a discovery store;
        a bucket that is not listed is in the region of the cluster.
    """

    kops_version: str = KOPS_VERSION
    channel: Channel = STABLE
    feature_flags: frozenset[str] = DEFAULT_FEATURE_FLAGS
    running_kubernetes_version: str | None = None
    bucket_regions: Mapping[str, str] = field(default_factory=dict)


def parse_feature_flags(text: str) -> frozenset[str]:
    """The flags that are on after KOPS_FEATURE_FLAGS=text ("+A,-B,C") has been applied to the default ones."""
    flags = set(DEFAULT_FEATURE_FLAGS)
    for word in text.replace(",", " ").split():
        name = word.lstrip("+-")
        if word.startswith("-"):
            flags.discard(name)
        elif name:
            flags.add(name)
    return frozenset(flags)
