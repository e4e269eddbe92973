# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where members of etcd are that are known by names of their own: in clouds, where only etcd's pods see the names.

The file is kept right by the command ``etcd-names`` (boot/etcd_names.py), and mounted into pods as /etc/hosts.
"""

from __future__ import annotations

import functools
import http.client
import os
import socket
import ssl
import urllib.request
from collections.abc import Mapping
from typing import Any

# What stands for the member in the name that all members of an etcd cluster have.
MEMBER = "{member}"
HOSTS = "/etc/kubernetes/etcd-hosts/hosts"


def places(root: str = "/") -> dict[str, str]:
    """Host name -> address, as the file says; nothing on hosts without it. root: "/", except in tests."""
    try:
        with open(os.path.join(root, HOSTS.lstrip("/")), encoding="utf-8") as stream:
            lines = [line.split() for line in stream]
    except FileNotFoundError:
        return {}
    return {name: words[0] for words in lines for name in words[1:] if name != "localhost"}


class PlacedHandler(urllib.request.HTTPSHandler):
    """HTTPS to names whose addresses are given; the certificate must be for the name."""

    def __init__(self, context: ssl.SSLContext, where: Mapping[str, str]) -> None:
        super().__init__(context=context)
        self._connection = functools.partial(_Connection, where, context)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a URL of HTTPS."""
        return self.do_open(self._connection, req)


class _Connection(http.client.HTTPSConnection):
    def __init__(self, where: Mapping[str, str], context: ssl.SSLContext, host: str, **more: Any) -> None:
        super().__init__(host, context=context, **more)
        self._where, self._tls = where, context

    def connect(self) -> None:
        """Connect to the address that the name has here, or else to the name."""
        plain = socket.create_connection((self._where.get(self.host, self.host), self.port), self.timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise
