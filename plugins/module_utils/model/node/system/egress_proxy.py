# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a node reaches the world through spec.networking.egressProxy (pkg/model/resources/nodeup.go of kops).

The environment of logins, of every unit, of the package manager, and of what the converger itself runs and downloads.
kops edits /etc/systemd/system.conf and /etc/yum.conf; here systemd has a file of its own, and the others a block.
"""

from __future__ import annotations

from ..context import NodeContext
from ..draft import Draft, on

ENVIRONMENT = "/etc/environment"
_APT = "/etc/apt/apt.conf.d/30proxy"
# /etc/yum.conf is a link to it.
_DNF = "/etc/dnf/dnf.conf"
# Of zypper, and of logins.
_SUSE = "/etc/sysconfig/proxy"
_SYSTEMD = "/etc/systemd/system.conf.d/kops-egress-proxy.conf"
_DROP_IN = "kops-egress-proxy.conf"
_BLOCK = "the egress proxy"


def variables(context: NodeContext) -> dict[str, str]:
    """The variables by which programs know the proxy; none without one."""
    proxy = context.cluster.spec.networking.egress_proxy
    if proxy is None or not proxy.http_proxy.host:
        return {}
    url, excludes = _url(context), proxy.excludes or ""
    return {"http_proxy": url, "https_proxy": url, "NO_PROXY": excludes, "no_proxy": excludes}


def drop_ins(context: NodeContext) -> dict[str, str]:
    """Drop-ins of a unit that must be restarted when the proxy changes: systemd tells others when they start next."""
    values = _quoted(context)
    return {_DROP_IN: f"[Service]\nEnvironment={values}\n"} if values else {}


def build(context: NodeContext, draft: Draft) -> None:
    """The files that name the proxy."""
    values = variables(context)
    if not values:
        return
    draft.file(ENVIRONMENT, "".join(f"{name}={value}\n" for name, value in values.items()), block=_BLOCK)
    draft.file(_APT, f'Acquire::http::Proxy "{_url(context)}";\n', when=on(family="debian"))
    draft.file(_DNF, f"proxy={_url(context)}\n", when=on(family="redhat"), block=_BLOCK)
    suse = {"PROXY_ENABLED": "yes", "HTTP_PROXY": _url(context), "HTTPS_PROXY": _url(context)}
    suse["NO_PROXY"] = values["NO_PROXY"]
    text = "".join(f'{name}="{value}"\n' for name, value in suse.items())
    draft.file(_SUSE, text, when=on(family="suse"), block=_BLOCK)
    draft.file(_SYSTEMD, f"[Manager]\nDefaultEnvironment={_quoted(context)}\n")


def _url(context: NodeContext) -> str:
    proxy = context.cluster.spec.networking.egress_proxy
    host, port = (proxy.http_proxy.host or "", proxy.http_proxy.port) if proxy else ("", None)
    return f"{'' if host.startswith('http://') else 'http://'}{host}{f':{port}' if port else ''}"


def _quoted(context: NodeContext) -> str:
    # A percent sign begins a specifier of systemd.
    pairs = [f"{name}={value}".replace("%", "%%") for name, value in variables(context).items()]
    return " ".join(f'"{pair}"' for pair in pairs)
