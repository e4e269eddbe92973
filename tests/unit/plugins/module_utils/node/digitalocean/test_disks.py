# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node/digitalocean/disks.py: the volumes of etcd's members."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.disks import MemberVolumes
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support import disks_contract as contract

from .droplets import CLUSTER, FOREIGN, REGION, Cloud


class Party:
    """A cluster, for the contract of disks."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    def member(self, name: str) -> list[str]:
        made = {each["id"]: each for each in (self.cloud.volume(etcd, name) for etcd in contract.ETCDS)}
        # The contract has them in the order of their ids.
        for etcd, identifier in zip(contract.ETCDS, sorted(made)):
            made[identifier].update(
                tags=[f"etcdCluster-{etcd}:{name}", f"KubernetesCluster:{CLUSTER.replace('.', '-')}"]
            )
            self.cloud.account.volumes.objects[identifier] = made[identifier]
        return sorted(made)

    def disks(self) -> MemberVolumes:
        droplet = self.cloud.start("ControlPlane")
        return MemberVolumes(self.cloud.api, CLUSTER, str(droplet["id"]), REGION)

    def foreign_member(self, name: str) -> None:
        self.cloud.volume("main", name, FOREIGN)

    def end(self, instance: str) -> None:
        self.cloud.ask("DELETE", f"droplets/{instance}")


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(cloud: Cloud, check: Callable[[contract.Party], None]) -> None:
    check(Party(cloud))


def test_the_members_are_those_that_have_volumes(cloud: Cloud) -> None:
    members = ("etcd-1", "etcd-2", "etcd-3")
    for member in members:
        cloud.volume("main", member)
    cloud.volume("other", "etcd-1", tags=["KubernetesCluster:demo-example-com"])
    found = Party(cloud).disks().all()
    assert {each.member: each.members for each in found} == dict.fromkeys(members, members)


def test_the_path_has_the_name_of_the_volume(cloud: Cloud) -> None:
    made = cloud.volume("main", "etcd-1")
    disks = Party(cloud).disks()
    (disk,) = disks.all()
    assert disks.paths(disk) == (f"/dev/disk/by-id/scsi-0DO_Volume_{made['name']}",)


def test_a_droplet_that_is_busy_tries_again_and_others_fail(cloud: Cloud) -> None:
    cloud.volume("main", "etcd-1")
    disks = Party(cloud).disks()
    (disk,) = disks.all()
    cloud.account.pending.looks = 9
    cloud.ask("POST", f"droplets/{disks.instance}/actions", {"type": "reboot"})
    assert not disks.attach(disk)
    cloud.account.pending.looks = 0
    # No other region's volume can be attached.
    with pytest.raises(ServiceError, match="422"):
        MemberVolumes(cloud.api, CLUSTER, str(cloud.start(region="tor1")["id"]), REGION).attach(disk)


def test_a_droplet_that_is_off_keeps_its_volumes(cloud: Cloud) -> None:
    disks = Party(cloud).disks()
    cloud.ask("POST", f"droplets/{disks.instance}/actions", {"type": "power_off"})
    holder = disks.holders([disks.instance])[disks.instance]
    assert (holder.state, holder.lets_go) == ("off", False)
