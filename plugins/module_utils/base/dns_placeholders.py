# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses that records of the API have until the control plane writes its own, by the type of the record (kops')."""

from __future__ import annotations

PLACEHOLDERS = {"A": "203.0.113.123", "AAAA": "fd00:dead:add::"}
