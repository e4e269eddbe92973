# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud's DNS: names of instances and load balancers, and the records of hosted zones; served by dnsmasq."""

from __future__ import annotations

import functools
import pathlib
import shutil
import socket

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import network

_SERVER = "cloud-names"
# kops' placeholder: "no address yet".
_HOSTS = pathlib.Path("/etc/hosts")
_BEGIN, _END = "# kops-cloud: begin\n", "# kops-cloud: end\n"


def start() -> None:
    """Start dnsmasq, which knows no other names than these."""
    _file().touch()
    command = [
        *(shutil.which("dnsmasq") or "/usr/sbin/dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null"),
        *("--user=root", "--pid-file", "--log-facility=-", "--no-resolv", "--no-hosts", "--cache-size=0"),
        *("--bind-interfaces", f"--listen-address={network.RESOLVER}", f"--addn-hosts={_file()}"),
    ]
    processes.start(_SERVER, command, _answers)


def stop() -> None:
    """Stop it, and take the names out of this machine's own file."""
    processes.stop(_SERVER)
    _write_own("")


def is_running() -> bool:
    """Whether it runs."""
    return processes.is_running(_SERVER)


def show(names: dict[str, list[str]]) -> bool:
    """Serve these names from now on; returns whether they are others. names: name -> addresses."""
    found = {"localhost": ["127.0.0.1"], **names}
    lines = sorted(f"{address} {name}\n" for name, addresses in found.items() for address in addresses)
    text = "".join(lines)
    if _file().read_text() == text:
        return False
    _file().write_text(text)
    processes.tell(_SERVER)
    _write_own(text.replace("127.0.0.1 localhost\n", ""))
    return True


def _write_own(text: str) -> None:
    """Programs of this machine know the names, too: a controller reaches the API by that of its load balancer."""
    before = _HOSTS.read_text()
    head, _begin, rest = before.partition(_BEGIN)
    kept = head + rest.partition(_END)[2]
    after = kept + (f"{_BEGIN}{text}{_END}" if text else "")
    if after != before:
        # In place: in a container the file may be mounted.
        _HOSTS.write_text(after)


@functools.cache
def _file() -> pathlib.Path:
    return cache.directory() / "cloud-names.hosts"


def _answers() -> bool:
    """Whether somebody listens; dnsmasq also does so by TCP."""
    try:
        socket.create_connection((network.RESOLVER, 53), timeout=1).close()
    except OSError:
        return False
    return True
