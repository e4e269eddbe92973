# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``serve`` of the node program: the bootstrap server of a control plane."""

from __future__ import annotations

import errno
import os
import signal
import socket
import ssl
import threading
import time
from typing import Any

from ...base.errors import ConfigError
from ...exchange.settings import BOOT_FILE
from ...exchange.settings import BootstrapServerSettings as Settings
from ...exchange.store_places import url_of
from ..clouds import this_instance, verifier
from ..stores.by_scheme import StoreByScheme
from ..system.json_files import load, read_json
from .bounds import Journal
from .nodes import ClusterNodes
from .predecessor import keep_room
from .server import BACKLOG, Server
from .service import Service

# Between attempts at a port that is taken.
_PORT_SECONDS = 0.5


def serve(path: str = Settings.FILE) -> None:
    """Serve until the process is told to end. Raises ConfigError, OSError."""
    os.environ.update(_environment())
    settings, journal = load(Settings, path), Journal()
    room = threading.Thread(target=keep_room, args=(settings.kubeconfig, settings.node, journal.say), daemon=True)
    room.start()
    listening = awaited_listener(settings.port, journal)
    server = make_server(settings, listening, ClusterNodes(settings.kubeconfig), journal)
    signal.signal(signal.SIGTERM, lambda _number, _frame: server.stop())
    server.serve()


def make_server(settings: Settings, listening: socket.socket, nodes: Any, journal: Journal) -> Server:
    """The server of these settings. Raises ConfigError."""
    known = verifier(settings.cloud, settings.cluster, settings.workers, named_by_address=settings.named_by_address)
    store = StoreByScheme(this_instance(settings.cloud))

    def read(location: str) -> bytes | None:
        return store.read(url_of(settings.store, settings.elsewhere, location))

    service = Service(settings.cluster, read, known, nodes)
    return Server(listening, tls_context(settings), service, journal)


def tls_context(settings: Settings) -> ssl.SSLContext:
    """The server's certificate; callers may show one of a node. Raises ConfigError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_OPTIONAL
    try:
        context.load_cert_chain(settings.certificate, settings.key)
        context.load_verify_locations(settings.authorities)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError([f"the certificates of the bootstrap server cannot be read: {error}"]) from error
    return context


def awaited_listener(port: int, journal: Journal) -> socket.socket:
    """A listening socket, as soon as the port is free: kops' own server may have it. Raises OSError."""
    told = False
    while True:
        try:
            return listener(port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            if not told:
                journal.say(f"port {port} is taken by another program; waiting until it is free")
                told = True
            time.sleep(_PORT_SECONDS)


def listener(port: int, host: str = "") -> socket.socket:
    """A listening socket, by default for all addresses of both families. Raises OSError."""
    if not host and socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
    return socket.create_server((host, port), backlog=BACKLOG)


def _environment() -> dict[str, str]:
    return dict(read_json(BOOT_FILE).get("environment") or {}) if os.path.exists(BOOT_FILE) else {}
