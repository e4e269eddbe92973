# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeconfig: how a user reaches a cluster, with an admin certificate that does not live long."""

from __future__ import annotations

import base64
import contextlib
import datetime
import os
from dataclasses import dataclass, field
from typing import Any

from ...api.cloud import HOSTS
from ...api.clouds import cloud_of
from ...api.cluster import Cluster, LoadBalancerAccessSpec
from ...api.questions import uses_none_dns
from ...api.scalars import Duration
from ...base.errors import KopsError
from ...cloud.endpoints import Endpoint
from ...cloud.provider import explaining
from ...statestore import pki
from ...statestore.certificates import read_certificate
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.store import ClusterStore
from ..clouds import SUPPORTED, open_cloud
from ..metal.api_endpoint import api_server as metal_api_server
from ..metal.hosts import in_url
from . import file as kubeconfig_file
from .administrator import ADMINISTRATORS, admin_pair
from .auth_plugin import exec_entry
from .credential import LIFETIME
from .file import Kubeconfig

ADMIN_LIFETIME = "18h"
# Of a user in the file: how it shows who it is.
_OWN_KEYS = ("client-certificate", "client-certificate-data", "client-key", "client-key-data", "password", "token")


@dataclass(frozen=True)
class KubeconfigOptions:
    """What to write.

    path: the file; "" is where kubectl looks. admin: life of the admin certificate as a duration ("18h"), "0" for no
    certificate, "" for 18h, or for none if user is given. user: name of a user that the file has already.
    internal: the cluster's internal name as server. api_server: any other server, as a URL or just its address.
    switch: make the cluster the current context. auth_plugin: no certificate in the file, but a program that makes one
    when kubectl needs it, which then lives as long as admin says ("" for 1h).
    """

    state_store: str
    name: str
    path: str = ""
    admin: str = ""
    user: str = ""
    internal: bool = False
    api_server: str = ""
    switch: bool = True
    auth_plugin: bool = False


@dataclass
class KubeconfigResult:
    """What was written, or would be. before, after: the file without its secrets. expires: of the certificate."""

    changed: bool
    path: str
    server: str = ""
    expires: str = ""
    before: str = ""
    after: str = ""
    warnings: list[str] = field(default_factory=list)


def export_kubeconfig(options: KubeconfigOptions, *, check: bool = False) -> KubeconfigResult:
    """Merge a cluster into a kubeconfig file.

    An admin certificate that is there is kept while it is of the present CA and has half of its life before it.
    Raises KopsError when the cluster or its CA is not there, or options contradict each other.
    """
    lifetime = _lifetime(options)
    store = ClusterStore.open(options.state_store, options.name)
    cluster = store.read_cluster()
    warnings: list[str] = []
    server = api_server_url(
        cluster, api_server=options.api_server, internal=options.internal, lifetime=lifetime, warnings=warnings
    )
    authority = store.keysets.find(KUBERNETES_CA)
    if authority is None:
        raise KopsError(f"cluster {options.name} has no CA yet; run update_cluster first")
    path = path_of(options)

    with kubeconfig_file.locked(path) if not check else contextlib.nullcontext():
        content = kubeconfig_file.read(path)
        before, shown_before = content.text(), content.shown()
        existed = os.path.exists(path)
        _merge(content, cluster, options, server, authority, lifetime)
        changed = not existed or content.text() != before or not kubeconfig_file.is_private(path)
        if changed and not check:
            kubeconfig_file.write(path, content)
    user = content.entry("users", options.name)
    return KubeconfigResult(
        changed=changed,
        path=path,
        server=server,
        expires=_expiry(user) if lifetime and not options.auth_plugin else "",
        before=shown_before if existed else "",
        after=content.shown(),
        warnings=[*store.warnings, *warnings],
    )


def path_of(options: KubeconfigOptions) -> str:
    """The file that is written."""
    return os.path.expanduser(options.path or kubeconfig_file.default_path())


def remove_from_kubeconfig(name: str, path: str = "", *, check: bool = False) -> KubeconfigResult:
    """Take a cluster's entries out of a kubeconfig file; neither the store nor the cluster is asked."""
    path = os.path.expanduser(path or kubeconfig_file.default_path())
    if not os.path.exists(path):
        return KubeconfigResult(changed=False, path=path)
    with kubeconfig_file.locked(path) if not check else contextlib.nullcontext():
        content = kubeconfig_file.read(path)
        before, shown_before = content.text(), content.shown()
        content.remove("clusters", name)
        content.remove("contexts", name)
        for user in (name, f"{name}-basic-auth"):
            content.remove("users", user)
        if content.data.get("current-context") == name:
            content.data["current-context"] = ""
        changed = content.text() != before
        if changed and not check:
            kubeconfig_file.write(path, content)
    return KubeconfigResult(changed=changed, path=path, before=shown_before, after=content.shown())


def _lifetime(options: KubeconfigOptions) -> datetime.timedelta | None:
    if options.user and options.admin:
        raise KopsError("give either admin or user: with admin the cluster's own user is written")
    if options.user and options.auth_plugin:
        raise KopsError("give either auth_plugin or user: with auth_plugin the cluster's own user is written")
    if options.user:
        return None
    try:
        seconds = Duration.parse(_life(options)).seconds
    except ValueError as error:
        raise KopsError(f"admin: {error}") from error
    if seconds < 0:
        raise KopsError(f"admin: {options.admin} is no length of life")
    if options.auth_plugin and not seconds:
        raise KopsError("admin: the certificates of auth_plugin must live for a while")
    return datetime.timedelta(seconds=seconds) if seconds else None


def _life(options: KubeconfigOptions) -> str:
    return options.admin or (LIFETIME if options.auth_plugin else ADMIN_LIFETIME)


# -- the server -----------------------------------------------------------------------------------------------------


def api_server_url(
    cluster: Cluster,
    *,
    api_server: str = "",
    internal: bool = False,
    lifetime: datetime.timedelta | None,
    warnings: list[str],
) -> str:
    """Where users reach the API. lifetime: of the client certificate that they show, None for none.

    api_server, internal: as in KubeconfigOptions. warnings: takes that a load balancer was not found. Raises KopsError.
    """
    api, name, cloud = cluster.spec.api, str(cluster.metadata.name), cloud_of(cluster)
    balancer = api.load_balancer
    if api_server:
        is_url = "://" in api_server
        server = api_server if is_url else f"https://{in_url(api_server)}"
    elif internal:
        server = f"https://{internal_name(name)}"
    elif cloud.control_planes == HOSTS:
        server = metal_api_server(cluster)
        if not server:
            raise KopsError(
                f"cluster {name} is on {cloud.title}, and its specification does not say how users reach its API:"
                " give api_server, the address of a control plane, or set spec.api.publicName"
            )
    else:
        server = f"https://{in_url(api.public_name or f'api.{name}')}"
        # With a certificate of the user on the load balancer, the server's name must be the one in that certificate.
        is_at_node = balancer is None and uses_none_dns(cluster) and cloud.serves_users_at_node_address
        # An address that is given, whoever has it, is the way; that of a control plane ends with it.
        is_looked_up = is_at_node or (balancer is not None and (not balancer.ssl_certificate or lifetime))
        if is_looked_up and not cloud.shares_api_address:
            endpoints = _api_endpoints(cluster)
            if endpoints:
                server = f"https://{in_url(endpoints[0].host)}"
            else:
                warnings.append("the load balancer of the API was not found; the server is its name in DNS")
    if lifetime and _has_own_certificate(balancer) and balancer and balancer.class_ == "Network":
        # Client certificates pass through the second listener only.
        server += ":8443"
    return server


def _api_endpoints(cluster: Cluster) -> list[Endpoint]:
    if cloud_of(cluster).name not in SUPPORTED:
        return []
    provider, cloud = open_cloud(cluster)
    with explaining(provider):
        return provider.looking.api_endpoints(cloud)


def _has_own_certificate(balancer: LoadBalancerAccessSpec | None) -> bool:
    return balancer is not None and bool(balancer.ssl_certificate)


def internal_name(cluster_name: str) -> str:
    """A name that is in the certificates of all API servers of a cluster."""
    return f"api.internal.{cluster_name}"


# -- the file's entries ---------------------------------------------------------------------------------------------


def _merge(
    content: Kubeconfig,
    cluster: Cluster,
    options: KubeconfigOptions,
    server: str,
    authority: Keyset,
    lifetime: datetime.timedelta | None,
) -> None:
    name, balancer = options.name, cluster.spec.api.load_balancer
    own_certificate = _has_own_certificate(balancer) and balancer and balancer.class_ != "Network"
    trusted = None if own_certificate and not options.internal else _base64(authority.certificate_bundle())
    content.update(
        "clusters",
        name,
        {
            "server": server,
            "tls-server-name": internal_name(name),
            "certificate-authority-data": trusted,
            "certificate-authority": None,
        },
    )
    if options.user and options.user != name and not content.entry("users", options.user):
        raise KopsError(f"the kubeconfig has no user {options.user!r}")
    if options.auth_plugin:
        entry = exec_entry(options.state_store, name, _life(options))
        own = {"exec": {key: value for key, value in entry.items() if value is not None}}
        content.update("users", name, {**dict.fromkeys(_OWN_KEYS), **own})
    elif lifetime and not _is_good(content.entry("users", name), authority, lifetime):
        pair = admin_pair(authority, lifetime)
        content.update(
            "users",
            name,
            {
                "client-certificate-data": _base64(pair.certificate),
                "client-key-data": _base64(pair.private_key),
                "client-certificate": None,
                "client-key": None,
                "exec": None,
            },
        )
    # A context without a user keeps the one that it has.
    user = {"user": options.user or name} if lifetime or options.user else {}
    content.update("contexts", name, {"cluster": name, **user})
    if options.switch:
        content.data["current-context"] = name


def _is_good(user: dict[str, Any], authority: Keyset, lifetime: datetime.timedelta) -> bool:
    try:
        certificate, key = (_plain(user[f"client-{part}-data"]) for part in ("certificate", "key"))
        facts = read_certificate(certificate)
        fits = pki.belongs_to(certificate, key) and pki.is_issued_by(certificate, authority.signer().certificate)
    except (KeyError, ValueError, pki.PKIError):
        return False
    left = facts.not_after - datetime.datetime.now(datetime.timezone.utc)
    is_admin = f"o={ADMINISTRATORS}," in f"{facts.subject},"
    return fits and is_admin and lifetime / 2 <= left <= lifetime


def _expiry(user: dict[str, Any]) -> str:
    return read_certificate(_plain(user["client-certificate-data"])).not_after.strftime("%Y-%m-%dT%H:%M:%SZ")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")


def _plain(encoded: Any) -> str:
    return base64.b64decode(str(encoded), validate=True).decode("ascii")
