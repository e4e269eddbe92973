# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rolling update in Google Cloud: the tests of AWS, with managed groups."""

from ansible_collections.kubeops.kops.tests.lab.cloud.test_rolling_update import *  # noqa: F403
