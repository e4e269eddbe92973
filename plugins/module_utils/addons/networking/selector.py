# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The label of every network: by it one network is found when another takes its place."""

from __future__ import annotations

NETWORKING = {"role.kubernetes.io/networking": "1"}
