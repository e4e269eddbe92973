# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancers of a cloud: haproxy forwards at their addresses, which this machine has in the cloud's network."""

from __future__ import annotations

import http.client
import pathlib
import shutil
import signal
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import network

_SERVER = "cloud-balancers"
# Seconds for the answer of a new target, in which nothing else is done.
_PATIENCE = 0.5
_UNVERIFIED = ssl.create_default_context()
_UNVERIFIED.check_hostname = False
_UNVERIFIED.verify_mode = ssl.CERT_NONE
_STATUS = f"http://{network.BRIDGE.gateway}:8404/"
_HEAD = f"""global
  maxconn 4000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  option redispatch
listen status
  mode http
  bind {network.BRIDGE.gateway}:8404
  stats enable
  stats uri /
"""


@dataclass(frozen=True)
class Target:
    """Where a listener's connections go. check: path of an HTTPS request that tells whether one is well; or ""."""

    port: int
    check: str
    addresses: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Balancer:
    """A load balancer of connections. addresses: its own. listeners: port -> where its connections go.

    source: which of its addresses targets see; "" for any of this machine.
    """

    name: str
    dns_name: str
    addresses: list[str]
    listeners: dict[int, Target]
    source: str = ""


def start() -> None:
    """Start haproxy."""
    if not _file().exists():
        _file().write_text(_HEAD)
    command = [shutil.which("haproxy") or "/usr/sbin/haproxy", "-W", "-f", str(_file())]
    processes.start(_SERVER, command, lambda: processes.has_page(_STATUS))


def stop() -> None:
    """Stop it."""
    processes.stop(_SERVER)
    _file().unlink(missing_ok=True)


def is_running() -> bool:
    """Whether it runs."""
    return processes.is_running(_SERVER)


class Health:
    """Which targets have answered: new ones get nothing before."""

    def __init__(self) -> None:
        self._well: set[tuple[str, int]] = set()

    def of(self, found: list[Balancer]) -> list[Balancer]:
        """The same load balancers, with those targets that have answered once."""
        targets = [target for each in found for target in each.listeners.values()]
        new = {
            (name, target.port): (address, target.port, target.check)
            for target in targets
            for name, address in target.addresses.items()
            if (name, target.port) not in self._well
        }
        with ThreadPoolExecutor(max(len(new), 1)) as pool:
            answers = pool.map(lambda place: _is_well(*place), new.values())
            self._well.update(each for each, well in zip(new, answers, strict=True) if well)
        for target in targets:
            for name in [each for each in target.addresses if (each, target.port) not in self._well]:
                del target.addresses[name]
        return found


def _is_well(address: str, port: int, check: str) -> bool:
    """Whether a target answers as its health check demands."""
    connection: http.client.HTTPConnection | None = None
    try:
        if not check:
            socket.create_connection((address, port), timeout=_PATIENCE).close()
            return True
        connection = http.client.HTTPSConnection(address, port, timeout=_PATIENCE, context=_UNVERIFIED)
        connection.request("GET", check)
        return connection.getresponse().status < 400
    except (OSError, http.client.HTTPException):
        return False
    finally:
        if connection is not None:
            connection.close()


def show(balancers: list[Balancer], before: set[str]) -> set[str]:
    """Forward for these from now on. before: addresses that were theirs; returns those that are."""
    addresses = {address for each in balancers for address in each.addresses}
    for address in sorted(addresses - before):
        network.add_address(address)
    text = _HEAD + "".join(_section(each, port) for each in balancers for port in each.listeners if each.addresses)
    if _file().read_text() != text:
        _file().write_text(text)
        processes.tell(_SERVER, signal.SIGUSR2)
    for address in sorted(before - addresses):
        network.remove_address(address)
    return addresses


def _section(balancer: Balancer, port: int) -> str:
    target = balancer.listeners[port]
    lines = [f"listen {balancer.name}-{port}", *(f"  bind {address}:{port}" for address in balancer.addresses)]
    if target.check:
        lines.append(f"  option httpchk GET {target.check}")
    check = "check inter 1s fall 2 rise 1" + (" check-ssl verify none" if target.check else "")
    check += f" source {balancer.source}" if balancer.source else ""
    lines += [f"  server {name} {address}:{target.port} {check}" for name, address in sorted(target.addresses.items())]
    return "\n".join(lines) + "\n"


def _file() -> pathlib.Path:
    return cache.directory() / "cloud-balancers.cfg"
