# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of IAM roles: kops' own, with its hashes."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.iam import names


def test_names():
    assert names.instance_role("ControlPlane", "demo.example.com") == "masters.demo.example.com"
    assert names.service_account_role("dns", "team-*", "demo.example.com") == "dns.team-wildcard.sa.demo.example.com"


def test_long_names_are_cut_and_stay_apart():
    one, other = (names.service_account_role("x", "y", "a" * 80 + f"{end}.example.com") for end in "xy")
    assert one != other
    assert len(one) == 64
