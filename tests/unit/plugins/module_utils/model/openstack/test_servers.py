# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What servers are asked to be. Those of kops' cases are compared elsewhere."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.server_template import ServerTemplate
from ansible_collections.kubeops.kops.tests.support.openstack import clusters


def boot_volumes(size: str) -> set[int | None]:
    """Those of the servers, where all groups boot from volumes of a size."""
    given = (
        f'openstack.kops.io/osVolumeBoot: "true"\n    openstack.kops.io/osVolumeSize: "{size}"\n    openstack.kops.io/'
    )

    def change(text: str) -> str:
        return text.replace("openstack.kops.io/allowedAddressPair", f"{given}allowedAddressPair")

    return {each.boot_volume for each in clusters.tasks(change=change).values() if isinstance(each, ServerTemplate)}


def test_servers_boot_from_volumes_of_the_size_that_is_given() -> None:
    assert boot_volumes("40") == {40}


@pytest.mark.parametrize("size", ["40G", "-1", "4.5"])
def test_a_size_that_is_no_number_is_refused(size: str) -> None:
    with pytest.raises(
        KopsError, match="instance group control-plane-az-1: annotation osVolumeSize: .* no number of GiB"
    ):
        boot_volumes(size)
