# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual address of the API: the kubeconfig of a run leads to it, and it survives the host that holds it.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import base64
import http.client
import pathlib
import socket
import ssl
import time
from collections.abc import Callable

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import hosts, network, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

CONTROL_PLANES = ("test1", "test2", "test3")
# Seconds. Without load it takes about four: three announcements that do not come, and a bit.
AWAY = 20


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The file that the playbooks write."""
    return tmp_path_factory.mktemp("user") / "kubeconfig"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site], kubeconfig: pathlib.Path) -> Site:
    """Three control planes with a virtual address, and a worker."""
    made = new_site(3, 1, api=network.API_ADDRESS)
    made.variables["kops_kubeconfig"] = str(kubeconfig)
    return made


def holders() -> list[str]:
    """The control planes that run and have the address."""
    words = ("ip", "-oneline", "address", "show", "to", network.API_ADDRESS)
    states = hosts.names()
    return [host for host in CONTROL_PLANES if states.get(host) == "running" and hosts.within(host, *words)]


def is_ready(kubeconfig: pathlib.Path) -> bool:
    """Whether the API server to which a kubeconfig leads says that it is ready."""
    content = yaml.safe_load(kubeconfig.read_text())
    there, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
    tls = ssl.create_default_context(cadata=base64.b64decode(there["certificate-authority-data"]).decode())
    pair = kubeconfig.with_suffix(".pem")
    pair.touch(0o600)
    pair.write_bytes(b"".join(base64.b64decode(user[f"client-{part}-data"]) for part in ("certificate", "key")))
    tls.load_cert_chain(pair)
    connection = http.client.HTTPSConnection("api", timeout=2)
    try:
        plain = socket.create_connection((there["server"].removeprefix("https://"), 443), timeout=2)
        connection.sock = tls.wrap_socket(plain, server_hostname=there["tls-server-name"])
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


def seconds_until(condition: Callable[[], bool], limit: float) -> float:
    """How long a condition takes to hold. Fails the test after the limit."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < limit
        time.sleep(0.1)
    return time.monotonic() - begin


def test_the_kubeconfig_leads_to_the_address(created: running.Run, kubeconfig: pathlib.Path) -> None:
    assert yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]["server"] == (
        f"https://{network.API_ADDRESS}"
    )
    assert len(holders()) == 1
    assert is_ready(kubeconfig)


def test_a_second_run_changes_nothing(created: running.Run, site: Site) -> None:
    for options in ((), ("--check",)):
        again = site.create(*options)
        assert (again.code, again.changed) == (0, 0), again.output


def test_the_address_survives_its_holder(created: running.Run, site: Site, kubeconfig: pathlib.Path) -> None:
    (holder,) = holders()
    hosts.kill(holder)
    away = seconds_until(lambda: is_ready(kubeconfig), AWAY)
    (heir,) = holders()
    print(f"\nthe address was away for {away:.1f} s")
    hosts.start(holder)
    seconds_until(lambda: len(running.ready_nodes(heir)) == len(site.nodes), 120)
    assert holders() == [heir], "a host that comes back does not take the address"
    assert hosts.within(holder, "systemctl", "is-active", "keepalived.service").strip() == "active"


def test_hosts_that_leave_give_the_address_back(created: running.Run, site: Site) -> None:
    gone = site.run("delete_cluster")
    assert gone.code == 0, gone.output
    assert holders() == []
    for host in CONTROL_PLANES:
        state = hosts.within(host, "systemctl", "is-active", "keepalived.service", check=False).strip()
        assert state == "inactive"
        assert "keepalived.conf" not in hosts.within(host, "ls", "/etc/keepalived").split()
