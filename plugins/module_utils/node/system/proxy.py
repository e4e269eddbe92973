# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests through the proxy of the environment, as curl and the programs of Kubernetes make them.

Python's own library does not know networks (10.0.0.0/8) and *.example.com in no_proxy.
"""

from __future__ import annotations

import ipaddress
import re
import urllib.request
from typing import Any
from urllib.parse import urlsplit


class _Proxies(urllib.request.ProxyHandler):
    def proxy_open(self, req: Any, proxy: Any, type: Any) -> Any:
        return None if _is_excluded(req.host) else super().proxy_open(req, proxy, type)


def opener(*handlers: Any) -> urllib.request.OpenerDirector:
    """An opener of the library with these handlers, which goes through the proxy for what is not excluded."""
    return urllib.request.build_opener(_Proxies(), *handlers)


def proxy_for(url: str) -> str:
    """HOST:PORT of the proxy through which a URL is reached, without a password; "" where it is reached directly."""
    parts = urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme, "")
    if not proxy or _is_excluded(parts.netloc) or urllib.request.proxy_bypass(parts.netloc):
        return ""
    return urlsplit(proxy if "://" in proxy else f"//{proxy}").netloc.rpartition("@")[2]


def _is_excluded(host: str | None) -> bool:
    """Whether no_proxy has a network or a pattern for a host, given with or without a port."""
    name = (urlsplit(f"//{host}").hostname or "").lower() if host else ""
    return any(_excludes(item.lower(), name) for item in re.split(r"[,\s]+", _no_proxy()) if item)


def _no_proxy() -> str:
    return urllib.request.getproxies().get("no", "")


def _excludes(item: str, name: str) -> bool:
    if item.startswith("*."):
        return name.endswith(item[1:])
    if "/" not in item:
        return False
    try:
        return ipaddress.ip_address(name) in ipaddress.ip_network(item, strict=False)
    except ValueError:
        return False
