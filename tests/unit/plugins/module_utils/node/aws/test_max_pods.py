# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import max_pods as tested
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import read_xml
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine


@pytest.mark.parametrize(("kind", "pods"), [("t3.medium", 17), ("m5.large", 29), ("m5.4xlarge", 110)])
def test_an_instance_takes_as_many_pods_as_kops_says(aws, service, kind, pods):
    """3 * (6 - 1) + 2 = 17; 3 * (10 - 1) + 2 = 29; the kubelet's default is the most."""
    service.paths["meta-data/instance-type"] = kind
    assert tested.max_pods(aws) == pods


def test_only_what_is_asked_for_is_found_out(service, tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text('ID=debian\nVERSION_ID="12"\n')
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/xvdf").touch()
    machine, service.paths["meta-data/instance-type"] = find_machine(str(tmp_path)), "m5.large"
    facts = AWSInstance().facts_named(["NODE_NAME", "DISK_SDF", "MAX_PODS"], machine, check=False)
    assert facts == {"DISK_SDF": "/dev/xvdf", "MAX_PODS": "29"}
    assert AWSInstance().facts_named(["NODE_NAME", "ETCD_MAIN_DEVICE"], machine, check=False) == {}


def test_a_type_without_a_limit_takes_what_the_kubelet_does(aws, service, monkeypatch):
    service.paths["meta-data/instance-type"] = "m5.large"
    empty = b"<A><instanceTypeSet><item><networkInfo/></item></instanceTypeSet></A>"
    monkeypatch.setattr(aws, "call", lambda *_arguments: read_xml(empty))
    assert tested.max_pods(aws) == 110
