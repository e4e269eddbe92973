# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cinder's volumes without disks: its own driver for tests, which copies no images either, and lets volumes grow."""

from cinder.tests import fake_driver


class VolumeDriver(fake_driver.FakeLoggingVolumeDriver):
    """Does nothing, and says that it is done."""

    def copy_image_to_volume(self, context, volume, image_service, image_id, disable_sparse=False):
        """Nothing."""

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        """Nothing."""

    def extend_volume(self, volume, new_size):
        """Nothing."""
