# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node behind a proxy: everything on it that reaches the world knows the proxy."""

from __future__ import annotations

import pytest

URL = "http://proxy:3128"
EXCLUDES = "a,10.0.0.0/8"
PROXY = {"networking.egressProxy": {"httpProxy": {"host": "proxy", "port": 3128}, "excludes": EXCLUDES}}
VARIABLES = {"http_proxy": URL, "https_proxy": URL, "NO_PROXY": EXCLUDES, "no_proxy": EXCLUDES}
QUOTED = f'"http_proxy={URL}" "https_proxy={URL}" "NO_PROXY={EXCLUDES}" "no_proxy={EXCLUDES}"'


def files_of(config):
    return {item["path"]: item for item in config["files"]}


@pytest.mark.parametrize("group", ["nodes", "control-plane"])
def test_every_program_of_a_node_knows_the_proxy(config_of, group):
    config = config_of(group, PROXY)
    files = files_of(config)
    assert config["environment"] == VARIABLES
    assert files["/etc/environment"]["content"] == "".join(f"{name}={value}\n" for name, value in VARIABLES.items())
    assert files["/etc/environment"]["block"], "the file is the distribution's"
    assert files["/etc/apt/apt.conf.d/30proxy"]["content"] == f'Acquire::http::Proxy "{URL}";\n'
    assert files["/etc/dnf/dnf.conf"]["content"] == f"proxy={URL}\n"
    assert (files["/etc/dnf/dnf.conf"]["when"], bool(files["/etc/dnf/dnf.conf"]["block"])) == (
        {"family": ["redhat"]},
        True,
    )
    assert (files["/etc/sysconfig/proxy"]["when"], bool(files["/etc/sysconfig/proxy"]["block"])) == (
        {"family": ["suse"]},
        True,
    )
    assert f'HTTPS_PROXY="{URL}"\nNO_PROXY="{EXCLUDES}"\n' in files["/etc/sysconfig/proxy"]["content"]
    systemd = files["/etc/systemd/system.conf.d/kops-egress-proxy.conf"]
    assert systemd["content"] == f"[Manager]\nDefaultEnvironment={QUOTED}\n"
    units = {unit["name"]: unit for unit in reversed(config["units"])}
    for name in ("kubelet.service", "containerd.service"):
        assert units[name]["dropIns"] == {"kops-egress-proxy.conf": f"[Service]\nEnvironment={QUOTED}\n"}


def test_without_a_proxy_there_is_nothing(config_of):
    for fields in ({}, {"networking.egressProxy": {"httpProxy": {"port": 3128}, "excludes": "a"}}):
        config = config_of("nodes", fields)
        assert "environment" not in config
        assert not {"/etc/environment", "/etc/dnf/dnf.conf", "/etc/apt/apt.conf.d/30proxy"} & files_of(config).keys()
        assert not any("kops-egress-proxy.conf" in unit.get("dropIns", ()) for unit in config["units"])


def test_a_host_may_be_written_as_a_url_and_without_a_port(config_of):
    proxy = {"networking.egressProxy": {"httpProxy": {"host": "http://proxy%41"}}}
    config = config_of("nodes", proxy)
    assert config["environment"] == {"http_proxy": "http://proxy%41", "https_proxy": "http://proxy%41"} | dict.fromkeys(
        ("NO_PROXY", "no_proxy"), ""
    )
    content = files_of(config)["/etc/systemd/system.conf.d/kops-egress-proxy.conf"]["content"]
    assert "http_proxy=http://proxy%%41" in content
