# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a NodeConfig: everything that is wrong at once, conditions, facts."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import describe, find_distribution
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import config_hash
from ansible_collections.kubeops.kops.plugins.module_utils.node.config import read_secrets
from ansible_collections.kubeops.kops.plugins.module_utils.node.facts import check_given
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import HEAD

SHA = "a" * 64


def problems(node: Node, **parts: Any) -> list[str]:
    before = node.tree()
    with pytest.raises(ConfigError) as caught:
        node.converge(**parts)
    assert {name: each for name, each in node.tree().items() if not name.startswith("run")} == {
        name: each for name, each in before.items() if not name.startswith("run")
    }
    assert node.host.calls == []
    return caught.value.problems


def test_all_problems_are_told_at_once(node: Node) -> None:
    assert problems(
        node,
        files=[{"path": "etc/x", "content": 5, "modus": "0644"}, {"path": "/etc/y/../z", "mode": 644}, "text"],
        units=[{"name": "a b", "state": "running"}],
        downloads=[{"name": "x", "urls": ["ftp://x", "http://user:pass@x"], "sha256": "abc"}],
        checks=[{"name": "x", "kind": "ping", "target": "x", "deadline": -1}],
        flies=[],
    ) == [
        "flies: unknown key; is it 'files'?",
        "files[0].modus: unknown key; is it 'mode'?",
        "files[0].path: 'etc/x' must be an absolute path without . or .. or //",
        "files[1].path: '/etc/y/../z' must be an absolute path without . or .. or //",
        "files[1].mode: must be octal digits as text, such as '0644'",
        "files[2]: must be a mapping, not text",
        "downloads[0].urls[0]: must be a URL with one of the schemes http, https, file",
        "downloads[0].urls[1]: must not contain a password, because a NodeConfig is not secret",
        "downloads[0].sha256: must be 64 hexadecimal digits",
        "units[0].name: 'a b' is not the name of a unit; it has letters, digits and :_.-@\\, ends as in .service, and"
        " has at most 255 characters",
        "units[0].state: must be one of started, stopped, not 'running'",
        "checks[0].kind: must be one of unit, http, tcp, file, not 'ping'",
        "checks[0].deadline: must be a whole number, at least 0",
    ]


def test_items_that_do_not_go_together(node: Node) -> None:
    assert problems(
        node,
        architecture="amd64",
        files=[{"path": "/etc/x", "content": ""}, {"path": "/etc/z"}],
        links=[{"path": "/etc/x", "target": "y"}],
        downloads=[
            {"name": "a", "urls": [], "sha256": SHA},
            {"name": "b", "urls": ["http://x"], "sha256": SHA, "unpack": [{"member": "*", "dest": "/opt/b"}]},
        ],
        volumes=[{"name": "v", "mount": "/mnt"}],
        units=[{"name": "u.service", "restartOn": ["file:/etc/none", "sysctl"]}],
        absent={"files": ["/etc/x"], "units": ["u.service"]},
    ) == [
        "files[0]: file:/etc/x is a duplicate of links[0]",
        "files[1]: /etc/z needs exactly one of content and reference",
        "downloads[0].urls: a needs at least one URL",
        "downloads[0]: a needs exactly one of dest and unpack",
        "downloads[1].unpack: * is a pattern, so dest must end with /",
        "volumes[0]: v needs exactly one of device and directory",
        "units[0].restartOn: 'file:/etc/none' matches no item of this configuration",
        "units[0].restartOn: 'sysctl' matches no item of this configuration",
        "absent: file /etc/x is also configured",
        "absent: unit u.service is also configured",
    ]


def test_what_the_machine_tells_is_told_with_the_rest(node: Node) -> None:
    node.file("/etc/app").mkdir()
    assert problems(
        node,
        files=[{"path": "/etc/app", "content": ""}, {"path": "/etc/key", "reference": "key"}],
        links=[{"path": "/proc", "target": "x"}],
        directories=[{"path": "/etc/hosts"}],
        kernelModules=[{"name": "nope", "required": True}],
        sysctls=[{"key": "no.such", "value": "1", "required": True}],
        volumes=[{"name": "v", "mount": "/mnt", "device": "/dev/nvme9"}],
    ) == [
        "module:nope: the kernel 6.1.0-test has no such module",
        "sysctl:no.such: the kernel has no such setting",
        "volume:v: there is no device /dev/nvme9",
        "directory:/etc/hosts: a file exists at this path",
        "link:/proc: a directory exists at this path",
        "file:/etc/app: a directory exists at this path",
        "file:/etc/key: the secrets have no entry 'key', and the node does not have the file",
    ]


@pytest.mark.parametrize("config", [None, [], {}, {**HEAD, "schema": 2}])
def test_another_schema_is_refused(node: Node, config: Any) -> None:
    with pytest.raises(ConfigError, match=r"schema|mapping"):
        node.converge_to(config)


def test_another_architecture_is_refused(node: Node) -> None:
    assert problems(node, architecture="arm64") == ["architecture: the configuration is for arm64, not amd64"]


def test_another_distribution_is_refused(node: Node) -> None:
    node.file("/etc/os-release").write_text("ID=arch\n")
    with pytest.raises(
        ConfigError, match=r"a distribution without a name \(arch\) cannot be a node; .*; Debian 11, 12, 13;"
    ):
        node.converge()


def test_conditions_choose(node: Node) -> None:
    files = [
        {"path": f"/etc/{number}", "content": "", "when": when}
        for number, when in enumerate(
            [
                {"family": ["debian"]},
                {"family": ["redhat"]},
                {"distribution": ["ubuntu-24.04", "debian-12"]},
                {"distribution": ["ubuntu-24.04"]},
                {"family": ["debian"], "architecture": ["arm64"]},
                {"trait": ["nftables"]},
                {},
            ]
        )
    ]
    assert changed(node.converge(files=files)) == ["file:/etc/0", "file:/etc/2", "file:/etc/6"]


def test_one_path_on_two_distributions_is_no_conflict(node: Node) -> None:
    files = [{"path": "/etc/x", "content": family, "when": {"family": [family]}} for family in ("debian", "redhat")]
    node.converge(files=files, units=[])
    assert node.file("/etc/x").read_text() == "debian"


def test_facts_are_found_given_and_remembered(node: Node) -> None:
    text = "@@NODE_NAME@@ @@HOSTNAME@@ @@INTERNAL_IP@@ @@BINARIES@@ @@RESOLV_CONF@@ @@ZONE@@\n"
    files = [{"path": "/etc/@@ZONE@@", "content": text}]
    node.facts = {"ZONE": "a", "INTERNAL_IP": "10.9.9.9", "OTHER": "unused"}
    node.converge(files=files)
    assert node.file("/etc/a").read_text() == "node-1 Node-1 10.9.9.9 /usr/local/bin /etc/resolv.conf a\n"
    node.facts = {}
    assert not node.converge(files=files).changed
    node.facts = {"ZONE": "b"}
    assert changed(node.converge(files=files)) == ["file:/etc/b", "file:/etc/a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nameserver 127.0.0.53\noptions edns0\n", "/run/systemd/resolve/resolv.conf"),
        ("", "/run/systemd/resolve/resolv.conf"),
        ("search example.com\nnameserver 10.0.0.2\nnameserver 127.0.0.1\n", "/etc/resolv.conf"),
    ],
)
def test_pods_ask_whom_the_host_asks_but_not_itself(node: Node, text: str, expected: str) -> None:
    resolved = node.file("/run/systemd/resolve/resolv.conf")
    resolved.parent.mkdir(parents=True)
    resolved.write_text("nameserver 10.0.0.2\n")
    node.file("/etc/resolv.conf").parent.mkdir(exist_ok=True)
    node.file("/etc/resolv.conf").write_text(text)
    node.converge(files=[{"path": "/etc/x", "content": "@@RESOLV_CONF@@"}])
    assert node.file("/etc/x").read_text() == expected


@pytest.mark.parametrize(("given", "expected"), [({}, "eth0"), ({"INTERNAL_IP": "10.1.0.7"}, "eth1")])
def test_the_interface_is_that_of_the_address(node: Node, given: dict[str, str], expected: str) -> None:
    node.facts = given
    node.converge(files=[{"path": "/etc/x", "content": "@@INTERFACE@@"}])
    assert node.file("/etc/x").read_text() == expected


def test_an_address_that_no_interface_has_is_a_problem(node: Node) -> None:
    node.facts = {"INTERNAL_IP": "10.2.0.7"}
    files = [{"path": "/etc/x", "content": "@@INTERFACE@@"}]
    assert problems(node, files=files) == [
        "facts: INTERFACE is needed; it was not given, and the node does not know it"
    ]


def test_a_fact_that_nobody_knows_is_a_problem(node: Node) -> None:
    files = [{"path": "@@ETCD_MAIN_DEVICE@@/x", "content": "@@ZONE@@"}]
    assert problems(node, facts=["RACK"], files=files)[:3] == [
        "facts: ETCD_MAIN_DEVICE is needed; it was not given, and the node does not know it",
        "facts: RACK is needed; it was not given, and the node does not know it",
        "facts: ZONE is needed; it was not given, and the node does not know it",
    ]


def test_a_fact_cannot_break_out_of_its_line(node: Node) -> None:
    node.facts = {"ZONE": "a\nb: c", "zone": "a"}
    assert problems(node) == ["facts: 'zone' is not a valid name", "facts: ZONE must be one line of text"]


def test_a_load_balancer_in_several_zones_has_a_line_for_each_address() -> None:
    assert check_given({"API_HOSTS": "10.0.0.4 api.internal.x\n10.0.1.4 api.internal.x"}) == []
    assert check_given({"API_HOSTS": "10.0.0.4 api.internal.x\r"}) == ["facts: API_HOSTS must be one line of text"]


def test_secrets_that_are_no_base64_are_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        read_secrets({"key": "hunter2!", "other": 5})
    assert caught.value.problems == ["secrets: key is not base64", "secrets: other is not base64"]


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert config_hash({"a": 1, "b": [2]}) == config_hash({"b": [2], "a": 1})
    assert config_hash({"a": 1}) != config_hash({"a": 2})


@pytest.mark.parametrize(
    ("os_release", "name", "family"),
    [
        ('ID=debian\nVERSION_ID="12"', "debian-12", "debian"),
        ('ID=ubuntu\nVERSION_ID="24.04"', "ubuntu-24.04", "debian"),
        ('ID="rocky"\nVERSION_ID="9.4"', "rocky-9", "redhat"),
        ('ID="rhel"\nVERSION_ID="10.0"', "rhel-10", "redhat"),
        ('ID="amzn"\nVERSION_ID="2023"', "amzn-2023", "redhat"),
        ("ID=flatcar\nVERSION_ID=3815.2.0", "flatcar", "flatcar"),
        ('ID="almalinux"\nVERSION_ID="9.6"', "almalinux-9", "redhat"),
        ('ID="ol"\nVERSION_ID="9.5"', "ol-9", "redhat"),
        ('ID="opensuse-leap"\nVERSION_ID="15.6"', "opensuse-leap-15.6", "suse"),
        ('ID="opensuse-leap"\nVERSION_ID="16.0"', "opensuse-leap-16", "suse"),
        ('ID="sles"\nVERSION_ID="15.7"', "sles-15.7", "suse"),
    ],
)
def test_distributions(os_release: str, name: str, family: str) -> None:
    found = find_distribution(os_release)
    assert found is not None
    assert (found.name, found.family) == (name, family)


@pytest.mark.parametrize("os_release", ["", "ID=debian", 'ID=debian\nVERSION_ID="10"', 'ID=ubuntu\nVERSION_ID="24"'])
def test_distributions_that_are_not_known(os_release: str) -> None:
    assert find_distribution(os_release) is None, describe(os_release)
