# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation of all keys in Google Cloud: the tests of AWS."""

from ansible_collections.kubeops.kops.tests.lab.cloud.test_rotation import *  # noqa: F403
