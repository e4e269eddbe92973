# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The boot of an instance as a whole, with a machine in a directory and an instance of no cloud.

Beside it are where a node's configuration comes from (from_servers.py, from_store.py) and what is kept of it.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import render
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import completeness
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.conftest import (
    CA,
    CONFIG,
    KUBECONFIG,
    SERVING,
    Served,
    Setting,
    named,
)

_INITIAL = ("INITIAL_CLUSTER", "INITIAL_STATE")


def test_a_worker_becomes_a_node_with_keys_of_its_own(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    assert f"file:{KUBECONFIG}" in setting.start()
    (body,), (proof,) = served.asked, served.handler.proofs
    assert proof == f"fake {hashlib.sha256(body).hexdigest()}"
    assert setting.text("/etc/provider") == "none:///i-1"
    assert setting.text(CA) == setting.boot["servers"]["ca"]
    key = setting.text(f"{SERVING}.key")
    assert issue.public_key_of(key) == Request.read(body).public_keys["kubelet-server"]
    assert setting.text(f"{SERVING}.crt").startswith("-----BEGIN CERTIFICATE-----")
    kubeconfig = setting.text(KUBECONFIG)
    assert base64.b64encode(setting.boot["servers"]["ca"].encode()).decode() in kubeconfig
    assert not setting.node.file("/run/kubeops/keys").exists()


def test_a_reboot_changes_nothing_and_needs_no_server(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    setting.start()
    assert setting.start(servers={**setting.boot["servers"], "port": 9}) == []
    assert len(served.asked) == 1


def test_certificates_that_end_soon_are_replaced(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    served.now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=430)
    setting.start()
    before, served.now = setting.text(KUBECONFIG), None
    assert f"file:{KUBECONFIG}" in setting.start()
    assert setting.text(KUBECONFIG) != before
    assert setting.start() == []
    assert len(served.asked) == 2


def test_a_certificate_that_is_gone_or_of_another_configuration_is_asked_for(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    setting.start()
    setting.node.file(f"{SERVING}.key").unlink()
    setting.start()
    assert setting.text(f"{SERVING}.key")
    served.config = {**CONFIG, "sysctls": []}
    setting.start(nodeConfigs=named(served.config))
    assert len(served.asked) == 3


@pytest.mark.parametrize("half", ["crt", "key"])
def test_a_half_written_pair_is_replaced(worker: tuple[Setting, Served], half: str) -> None:
    setting, _served = worker
    setting.start()
    before = setting.text(f"{SERVING}.{half}")
    setting.node.file(f"{SERVING}.key").unlink()
    setting.start()
    setting.node.file(f"{SERVING}.{half}").write_text(before)
    assert f"file:{SERVING}.crt" in setting.start()
    assert issue.belongs(setting.text(f"{SERVING}.crt"), setting.text(f"{SERVING}.key"))


def test_keys_are_the_same_until_the_node_has_its_certificates(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    served.handler.statuses += [403, 503]
    setting.start(attempts=3)
    assert len(served.asked) == 3
    assert len({json.dumps(Request.read(body).public_keys, sort_keys=True) for body in served.asked}) == 1


def test_a_configuration_with_another_hash_is_not_believed(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    served.config = {**CONFIG, "role": "ControlPlane"}
    with pytest.raises(KopsError, match="the NodeConfig has the SHA-256 .*, but must have"):
        setting.start()
    assert not setting.node.file(KUBECONFIG).exists()


def test_looking_changes_nothing(worker: tuple[Setting, Served]) -> None:
    setting, _served = worker
    assert f"file:{KUBECONFIG}" in setting.start(check=True)
    assert not setting.node.file(KUBECONFIG).exists()


def test_a_record_without_the_files_is_not_complete(worker: tuple[Setting, Served]) -> None:
    setting, _served = worker
    setting.start()
    machine = find_machine(str(setting.node.root), setting.node.host)
    sha256 = setting.boot["nodeConfigs"]["amd64"]["sha256"]
    assert completeness.is_complete(machine, CONFIG, sha256)
    assert not completeness.is_complete(machine, CONFIG, "0" * 64)
    setting.node.file(KUBECONFIG).unlink()
    assert not completeness.is_complete(machine, CONFIG, sha256)


def test_who_reads_the_store_issues_its_own_certificates(reader: Setting) -> None:
    assert f"file:{KUBECONFIG}" in reader.start()
    parts = issue.Parts.of(reader.text(f"{SERVING}.crt"))
    assert parts.issuer == issue.Parts.of(reader.text(CA)).subject
    assert reader.start() == []


def test_keysets_and_secrets_may_be_elsewhere(reader: Setting) -> None:
    files, keys = reader.instance.files, "s3://keys/of/demo/"
    reader.instance.files = {url.replace("s3://store/demo/pki/", keys): each for url, each in files.items()}
    with pytest.raises(KopsError, match="no keyset kubernetes-ca"):
        reader.start()
    for place in ("s3://keys/of/demo", "s3://keys/of/demo/"):
        reader.start(elsewhere={"pki": place, "secrets": "s3://elsewhere/"})
        assert reader.text(CA).startswith("-----BEGIN CERTIFICATE-----")


def test_who_reads_the_store_replaces_a_half_written_pair(reader: Setting) -> None:
    reader.start()
    other, _public = issue.generate_key()
    reader.node.file(f"{SERVING}.key").write_text(other)
    assert {f"file:{SERVING}.crt", f"file:{SERVING}.key"} <= set(reader.start())
    assert issue.belongs(reader.text(f"{SERVING}.crt"), reader.text(f"{SERVING}.key"))


def test_what_the_store_lacks_is_named(reader: Setting) -> None:
    (place,) = reader.boot["nodeConfigs"].values()
    config = reader.instance.files.pop(f"s3://store/demo/{place['location']}")
    with pytest.raises(KopsError, match=f"s3://store/demo/{place['location']} is not there"):
        reader.start()
    reader.instance.files[f"s3://store/demo/{place['location']}"] = config + b"#"
    with pytest.raises(KopsError, match="has the SHA-256"):
        reader.start()
    reader.instance.files = {f"s3://store/demo/{place['location']}": config}
    with pytest.raises(KopsError, match="kubernetes-ca"):
        reader.start()


def test_a_configuration_that_is_kept_and_damaged_is_read_again(reader: Setting) -> None:
    reader.start()
    (kept,) = reader.node.file("/opt/kubeops").glob("nodeconfig-*.json")
    kept.write_text("{}")
    assert reader.start() == []
    assert json.loads(kept.read_text()) == CONFIG


def test_a_control_plane_is_the_member_that_its_disk_names(reader: Setting) -> None:
    etcd = "@@ETCD_MAIN_MEMBER@@ @@ETCD_MAIN_INITIAL_CLUSTER@@ @@ETCD_MAIN_INITIAL_STATE@@"
    config = {
        **CONFIG,
        "facts": [*CONFIG["facts"], *(f"ETCD_MAIN_{name}" for name in ("MEMBER", "DEVICE", *_INITIAL))],
        "files": [*CONFIG["files"], {"path": "/etc/etcd", "content": etcd}],
        "volumes": [{"name": "etcd-main", "device": "@@ETCD_MAIN_DEVICE@@", "mount": "/mnt/@@ETCD_MAIN_MEMBER@@"}],
        "staticPods": [
            {
                "name": "etcd-main",
                "content": "    - --name=@@ETCD_MAIN_MEMBER@@\n"
                "    - --initial-advertise-peer-urls=https://@@ETCD_MAIN_MEMBER@@:2380\n",
            }
        ],
    }
    (place,) = named(config).values()
    reader.instance.files[f"s3://store/demo/{place['location']}"] = render(config).encode()
    reader.node.file("/dev").mkdir()
    reader.node.file("/dev/main").touch()
    assert {"volume:etcd-main", "unit:mnt-b.mount"} <= set(reader.start(nodeConfigs={"amd64": place}))
    assert reader.text("/etc/etcd") == "b a=https://a:2380,b=https://b:2380 new"
    assert reader.start(nodeConfigs={"amd64": place}) == []
    control = "s3://store/demo/backups/etcd/main/control"
    assert f"{control}/kubeops-member-b" not in reader.instance.files
    reader.node.file("/mnt/b/data/member/wal").mkdir(parents=True)
    assert reader.start(nodeConfigs={"amd64": place}) == []
    assert f"{control}/kubeops-member-b" in reader.instance.files
    assert b"a=https://a:2380,b=https://b:2380" in reader.instance.files[f"{control}/etcd-cluster-created"]


def test_what_the_configuration_asks_of_the_instance_is_found_out_at_every_boot(reader: Setting) -> None:
    config = {
        **CONFIG,
        "facts": [*CONFIG["facts"], "DISK_SDF", "MAX_PODS"],
        "files": [*CONFIG["files"], {"path": "/etc/pods", "content": "maxPods: @@MAX_PODS@@"}],
        "volumes": [{"name": "/data", "device": "@@DISK_SDF@@", "mount": "/data"}],
    }
    (place,) = named(config).values()
    reader.instance.files[f"s3://store/demo/{place['location']}"] = render(config).encode()
    with pytest.raises(ConfigError, match="DISK_SDF is needed"):
        reader.start(nodeConfigs={"amd64": place})
    reader.node.file("/dev").mkdir()
    reader.instance.named = {"DISK_SDF": "/dev/nvme1n1", "MAX_PODS": "29"}
    for device in ("nvme1n1", "nvme2n1"):
        reader.node.file(f"/dev/{device}").touch()
        reader.instance.named["DISK_SDF"] = f"/dev/{device}"
        assert "unit:data.mount" in reader.start(nodeConfigs={"amd64": place})
        assert f"What=/dev/{device}\n" in reader.text("/etc/systemd/system/data.mount")
    assert reader.text("/etc/pods") == "maxPods: 29"


def test_a_node_may_be_named_by_its_address(reader: Setting) -> None:
    reader.start(namedByAddress=True)
    assert b"ip-10.0.0.7" in issue.Parts.of(reader.text(f"{SERVING}.crt")).subject


def test_another_architecture_is_named(reader: Setting) -> None:
    (place,) = reader.boot["nodeConfigs"].values()
    with pytest.raises(ConfigError, match="nodes has no NodeConfig for amd64; it has one for arm64"):
        reader.start(nodeConfigs={"arm64": place})
