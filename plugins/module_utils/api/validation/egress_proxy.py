# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.networking.egressProxy: what shells, systemd, package managers and programs read as an environment variable."""

from __future__ import annotations

import re

from ..addresses import parse_cidr
from ..networking import EgressProxySpec
from .problems import Problems, invalid

_HOST = re.compile(r"(http://)?([A-Za-z0-9._~%+:-]+@)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?/?")
_EXCLUDE = re.compile(r"\*|(\*?\.)?[A-Za-z0-9._-]+(:\d+)?|[0-9A-Fa-f:.]+|\[[0-9A-Fa-f:.]+\](:\d+)?")


def validate_egress_proxy(proxy: EgressProxySpec, path: str = "spec.networking.egressProxy") -> Problems:
    """Host and port of the proxy, and what is reached without it."""
    found: Problems = []
    host, port = proxy.http_proxy.host or "", proxy.http_proxy.port or 0
    if host and not _HOST.fullmatch(host):
        # A password may be in it.
        found.append(invalid(f"{path}.httpProxy.host", None, "must be a host name or address, or http://host"))
    if not 0 <= port <= 65535:
        found.append(invalid(f"{path}.httpProxy.port", port, "must be a port, from 1 to 65535"))
    for item in re.split(r"[,\s]+", proxy.excludes or ""):
        if item and not _EXCLUDE.fullmatch(item) and parse_cidr(item) is None:
            message = "is a list of names, addresses and networks with commas between, such as .example.com,10.0.0.0/8"
            found.append(invalid(f"{path}.excludes", item, message))
    return found
