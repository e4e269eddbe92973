# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taints in the manifest's text form."""

from __future__ import annotations


def split_taint(text: str) -> tuple[str, str, str]:
    """ "key=value:Effect" as (key, value, effect); what is left out is ""."""
    subject, _colon, effect = text.partition(":")
    key, _equals, value = subject.partition("=")
    return key, value, effect
