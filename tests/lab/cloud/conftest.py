# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests in the lab's cloud: KOPS_LAB_CLOUD says which one, AWS if it says nothing."""

from __future__ import annotations

import os

from ansible_collections.kubeops.kops.tests.lab.cloud import fixtures
from ansible_collections.kubeops.kops.tests.lab.cloud.command_line import AWS, VARIABLE

CLOUD = os.environ.get(VARIABLE) or AWS
cloud, new_site = fixtures.of(CLOUD)
