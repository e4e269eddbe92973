# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests that only vSphere has."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.lab.cloud import fixtures
from ansible_collections.kubeops.kops.tests.lab.cloud.command_line import VSPHERE

cloud, new_site = fixtures.of(VSPHERE)
