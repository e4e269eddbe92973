# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The channel ``alpha`` of kops 1.37.0-alpha.1, as data: the channel stable, and packages."""

from __future__ import annotations

from dataclasses import replace

from .channel import ChannelPackage
from .stable import STABLE

ALPHA = replace(
    STABLE,
    packages=(
        ChannelPackage("operator.coredns.addons.x-k8s.io", "0.1.0-kops.1"),
        ChannelPackage("coredns", "1.7.0"),
        ChannelPackage("operator.networking.addons.kope.io", "0.1.0-kops.1"),
        ChannelPackage("networking.addons.kope.io", "1.0.20210815"),
    ),
)
