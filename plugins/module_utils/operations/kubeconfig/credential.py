# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of an administrator that live for an hour, for kubectl's credential plugins: kops helpers kubectl-auth.

kubectl runs the plugin before each command, so an answer from the cache loads nothing but this file and two others.
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import stat
from dataclasses import dataclass

from ...base.errors import KopsError
from . import file as kubeconfig_file

LIFETIME = "1h"
# Versions of the answer; kubectl says which one it wants.
API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
# As in kops, a certificate is replaced so long before it ends, as clocks differ. It is used for half of its life.
_EARLY = datetime.timedelta(minutes=5)
_FIELDS = ("clientCertificateData", "clientKeyData", "expirationTimestamp")
_TIME = "%Y-%m-%dT%H:%M:%SZ"

# The fields of ExecCredential's status.
Status = dict[str, str]


@dataclass(frozen=True)
class CredentialRequest:
    """Request for credentials: of which user, and for how long, such as "1h"."""

    state_store: str
    name: str
    lifetime: str = LIFETIME

    @property
    def cache(self) -> str:
        """The file in which they are kept, in kubectl's directory for what it caches."""
        directory = os.environ.get("KUBECACHEDIR") or os.path.join(os.path.expanduser("~"), ".kube", "cache")
        digest = hashlib.sha256("\0".join((self.state_store, self.name, self.lifetime)).encode()).hexdigest()
        return os.path.join(directory, "kubeops-kops", f"{self.name}_{digest[:16]}.json")


def exec_credential(request: CredentialRequest, api_version: str = API_VERSIONS[0]) -> str:
    """The answer to kubectl, from the cache, or with a new certificate that is kept there.

    Of several processes at the same time, one asks the state store and the others wait for it. Where there can be no
    cache, each call asks. Raises KopsError.
    """
    if api_version not in API_VERSIONS:
        raise KopsError(f"kubectl asks for {api_version}; there are {', '.join(API_VERSIONS)}")
    status = _cached(request.cache) or _renewed(request)
    return json.dumps({"apiVersion": api_version, "kind": "ExecCredential", "status": status})


def _renewed(request: CredentialRequest) -> Status:
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(kubeconfig_file.locked(request.cache))
        except KopsError:
            return _issued(request)
        status = _cached(request.cache)
        if status is None:
            status = _issued(request)
            with contextlib.suppress(KopsError):
                kubeconfig_file.replace(request.cache, json.dumps(status))
        return status


def _cached(path: str) -> Status | None:
    """Read cached credentials that have not expired. A file that others could read or write does not count."""
    try:
        with open(path, encoding="utf-8") as stream:
            facts = os.fstat(stream.fileno())
            if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o077:
                return None
            data = json.load(stream)
        status = {name: str(data[name]) for name in _FIELDS}
        end = datetime.datetime.strptime(status["expirationTimestamp"], _TIME).replace(tzinfo=datetime.timezone.utc)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return status if end > datetime.datetime.now(datetime.timezone.utc) else None


def _issued(request: CredentialRequest) -> Status:
    from ...api.scalars import Duration
    from ...statestore.certificates import read_certificate
    from ...statestore.keyset import KUBERNETES_CA
    from ...statestore.store import ClusterStore
    from .administrator import admin_pair

    try:
        lifetime = datetime.timedelta(seconds=Duration.parse(request.lifetime).seconds)
    except ValueError as error:
        raise KopsError(f"lifetime: {error}") from error
    if lifetime <= datetime.timedelta(0):
        raise KopsError(f"lifetime: {request.lifetime} is no length of life")
    store = ClusterStore.open(request.state_store, request.name)
    authority = store.keysets.find(KUBERNETES_CA)
    if authority is None:
        store.read_cluster()
        raise KopsError(f"cluster {request.name} has no CA yet; run kubeops.kops.update_cluster first")
    pair = admin_pair(authority, lifetime)
    end = read_certificate(pair.certificate).not_after - min(_EARLY, lifetime / 2)
    return dict(zip(_FIELDS, (pair.certificate, pair.private_key, end.strftime(_TIME))))
