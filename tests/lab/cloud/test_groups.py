# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an instance group says reaches its nodes: disks, files, hooks, settings, labels, taints; API servers serve."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab.cloud import account, clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
SPEC: dict[str, Any] = {
    "volumes": [{"device": "/dev/sdf", "size": 1, "type": "gp3"}],
    "volumeMounts": [{"device": "/dev/sdf", "filesystem": "ext4", "path": "/data", "mountOptions": ["noatime"]}],
    "fileAssets": [
        {"name": "greeting", "path": "/etc/greeting", "content": "aGVsbG8K", "isBase64": True, "mode": "0640"}
    ],
    # /run is empty after each boot.
    "hooks": [
        {
            "name": "greet",
            "before": ["kubelet.service"],
            "requires": ["greeter.service"],
            "manifest": "Type=oneshot\nExecStart=/bin/sh -c 'cat /etc/greeting >> /run/greeted'\n",
        },
        {
            "name": "greeter",
            "before": ["greet.service"],
            "manifest": "Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'echo I am here >> /run/greeted'\n",
        },
    ],
    "sysctlParameters": ["net.ipv4.ip_default_ttl=99"],
    "nodeLabels": {"example.com/kind": "special"},
    "taints": ["example.com/kind=special:PreferNoSchedule"],
    "kubelet": {"maxPods": 42},
    "additionalUserData": [
        {"name": "own.sh", "type": "text/x-shellscript", "content": "#!/bin/sh\ntouch /run/own-user-data\n"}
    ],
}
# When a unit was started last, in microseconds since the machine's kernel was.
STARTED = ("systemctl", "show", "--value", "--property=ExecMainStartTimestampMonotonic")


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> Iterator[CloudSite]:
    """A control plane, an API server, and one node of a group that says all of this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KOPS_FEATURE_FLAGS", "+APIServerNodes")
        clusters.make_private_zone()
        made = new_site({"networking": "flannel", "node_count": 1, "api_server_count": 1, **clusters.PRIVATE})
        documents = list(yaml.safe_load_all(made.manifest.read_text()))
        (group,) = (each for each in documents if each["kind"] == "InstanceGroup" and each["spec"]["role"] == "Node")
        group["spec"].update(SPEC)
        made.manifest.write_text("---\n".join(yaml.safe_dump(each, sort_keys=False) for each in documents))
        run = made.create(kops_validate_wait=600)
        assert run.code == 0, f"{run.output}\n{made.state()}"
        print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
        yield made


def of_role(site: CloudSite, role: str) -> str:
    """The one instance whose group begins with this."""
    (name,) = (name for name, each in site.instances().items() if each["group"].startswith(role))
    return name


def said(name: str) -> dict[str, str]:
    """What the machine of the node says of it."""
    return {
        "mount": machines.within(name, "findmnt", "--noheadings", "--output", "FSTYPE,OPTIONS", "/data", check=False),
        "file": machines.within(name, "stat", "--format", "%a", "/etc/greeting").strip(),
        "hooks": machines.within(name, "cat", "/run/greeted", check=False),
        "ttl": machines.within(name, "cat", "/proc/sys/net/ipv4/ip_default_ttl").strip(),
    }


def check_machine(name: str) -> None:
    found = said(name)
    assert found.pop("mount").split()[:1] == ["ext4"], said(name)
    assert found == {"file": "640", "hooks": "I am here\nhello\n", "ttl": "99"}
    assert 0 < int(machines.within(name, *STARTED, "greet")) < int(machines.within(name, *STARTED, "kubelet"))


def is_a_node(name: str) -> bool:
    """Whether the boot of this instance has ended since its unit was started last."""
    unit = "kops-configuration"
    run = machines.within(name, "systemctl", "show", "--value", "--property=InvocationID", unit, check=False).strip()
    return "is a node now" in machines.within(
        name, "journalctl", "--output=cat", f"_SYSTEMD_INVOCATION_ID={run}", check=False
    )


def test_the_machine_is_as_its_group_says(site: CloudSite) -> None:
    name = of_role(site, "nodes")
    check_machine(name)
    assert "noatime" in said(name)["mount"]
    machines.within(name, "test", "-e", "/run/own-user-data")


def test_the_node_is_as_its_group_says(site: CloudSite) -> None:
    name = of_role(site, "nodes")
    site.wait(lambda: site.nodes()[name]["metadata"]["labels"].get("example.com/kind") == "special", 60)
    node = site.nodes()[name]
    assert node["status"]["capacity"]["pods"] == "42"
    taint = {"key": "example.com/kind", "value": "special", "effect": "PreferNoSchedule"}
    assert taint in node["spec"]["taints"]


def test_hooks_that_have_run_do_not_run_again_while_the_machine_runs(site: CloudSite) -> None:
    name = of_role(site, "nodes")
    machines.within(name, "systemctl", "restart", "kops-configuration")
    site.wait(lambda: is_a_node(name), 60)
    check_machine(name)


def test_an_api_server_serves_what_etcd_of_the_control_plane_holds(site: CloudSite) -> None:
    name = of_role(site, "apiserver")
    assert "node-role.kubernetes.io/api-server" in site.nodes()[name]["metadata"]["labels"]
    site.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    there = site.kubectl(
        *("--server=https://" + site.instances()[name]["PrivateIpAddress"], "--tls-server-name=kubernetes.default"),
        *("get", "configmap", "marker", "--output=jsonpath={.data.it}"),
    )
    assert there == "lives"


def restart(site: CloudSite, name: str, how: str) -> None:
    """Reboot the machine of an instance, or stop and start the instance; then wait until it is a node again."""
    before, ec2 = machines.process(name), account.client("ec2")
    if how == "reboot":
        machines.within(name, "reboot", check=False)
    else:
        ec2.stop_instances(InstanceIds=[name])
        site.wait(lambda: machines.process(name) == 0, 60)
        ec2.start_instances(InstanceIds=[name])
    site.wait(lambda: machines.process(name) not in (0, before), 120)
    site.wait(lambda: is_a_node(name) and name in site.ready(), 300)


@pytest.mark.parametrize("how", ["reboot", "stop"])
def test_it_stays_so_over_a_boot(site: CloudSite, how: str) -> None:
    name = of_role(site, "nodes")
    machines.within(name, "sh", "-c", f"echo {how} > /data/file; sync")
    restart(site, name, how)
    assert machines.within(name, "cat", "/data/file") == f"{how}\n"
    check_machine(name)
