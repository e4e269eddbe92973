# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of etcd's members in the NodeConfig of control planes in clouds."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import EtcdNamesSettings as Settings

from ..conftest import by

UNIT = "kubeops-etcd-names.service"


def test_the_pods_of_etcd_see_a_file_that_is_kept_right(config_of, pod_of):
    config = config_of("control-plane", on_metal=False)
    files = by("path", config["files"])
    names = Settings(**json.loads(files[Settings.FILE]["content"]))
    assert (names.cloud, names.cluster) == ("aws", "demo.example.com")
    name = names.names["main"]
    assert name == "etcd-{member}.internal.demo.example.com"
    # The one that etcd's members advertise.
    pod = pod_of("etcd-main", "control-plane", on_metal=False)
    advertised = f"https://{name.replace('{member}', '@@ETCD_MAIN_MEMBER@@')}:2380"
    assert f"--initial-advertise-peer-urls={advertised}" in pod["spec"]["containers"][0]["args"]
    assert set(names.names) == {"main", "events"}
    # Whoever changes it is the unit, not the node program's next run.
    assert files[names.file]["once"]
    (mount,) = [each for each in pod["spec"]["containers"][0]["volumeMounts"] if each["mountPath"] == "/etc/hosts"]
    assert by("name", pod["spec"]["volumes"])[mount["name"]]["hostPath"] == {"path": names.file, "type": "File"}
    assert mount["readOnly"]
    assert f"file:{names.file}" not in by("name", config["staticPods"])["etcd-main"]["restartOn"]
    unit = by("name", config["units"])[UNIT]
    assert f"etcd-names --config {Settings.FILE}" in unit["content"]
    assert set(unit["restartOn"]) == set(unit["quietRestartOn"]) == {f"file:{Settings.FILE}"}


def test_others_have_none(config_of, pod_of):
    for group, on_metal in (("control-plane", True), ("nodes", True), ("nodes", False)):
        assert UNIT not in by("name", config_of(group, on_metal=on_metal)["units"])
    mounts = pod_of("etcd-main", "control-plane")["spec"]["containers"][0]["volumeMounts"]
    assert "/etc/hosts" not in [each["mountPath"] for each in mounts]
