# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Origin of objects in a cloud: state store and certificate authority of a cluster, as user data names them.

Tags only say the cluster's name, which clusters of two state stores can both have. User data is of this collection
(model/bootstrap_script.py), or of kops (kube_env.yaml: pkg/apis/nodeup/config.go, pkg/model/resources/nodeup.go).
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .user_data import boot_of

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)
_KUBERNETES_CA = "kubernetes-ca"
# Of kops.
_COMPRESSED = re.compile(r'echo "([A-Za-z0-9+/=\s]+)"\s*\|\s*base64 -d\s*\|\s*gzip -d\s*>\s*conf/kube_env\.yaml')
_CONFIG_BASE = re.compile(r'^ConfigBase:[ \t]*"?([^\s"]+)', re.MULTILINE)
_AUTHORITIES = re.compile(r"^([ \t]*)CACertificates:[^\n]*\n((?:\1[ \t]+[^\n]*\n|[ \t]*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Origin:
    """Origin that user data names. store: the directory that control planes read; "" for workers, which read none.

    authorities: the certificates that the nodes trust, without line ends. key_pairs: ids of the CA's key pairs.
    """

    store: str = ""
    authorities: frozenset[str] = frozenset()
    key_pairs: frozenset[str] = frozenset()

    @property
    def names_authority(self) -> bool:
        """Whether it says which certificate authority the cluster has."""
        return bool(self.authorities or self.key_pairs)


def origin_of(user_data: str) -> Origin:
    """Read the origin from user data; an empty Origin if it names none."""
    boot = boot_of(user_data)
    return _of_boot(boot) if boot is not None else _of_kops(user_data.replace("\r\n", "\n"))


def certificates_in(text: str) -> frozenset[str]:
    """The certificates of a text in PEM, without line ends, so that they can be compared."""
    return frozenset("".join(each.split()) for each in _CERTIFICATE.findall(text))


def another_origin(
    origins: Iterable[Origin], store: str, authorities: frozenset[str], key_pairs: Iterable[str]
) -> Origin | None:
    """Origin of the objects, if it is another cluster than this store's; None otherwise, or if it is not known.

    The certificate authority decides where it is known: a state store can be moved. Else its address does.
    authorities, key_pairs: all that the store has, also those that are not trusted any more.
    """
    known = [each for each in origins if each.store or each.names_authority]
    by_authority = [each for each in known if each.names_authority]
    ids = frozenset(key_pairs)
    if by_authority:
        is_ours = any(each.authorities & authorities or each.key_pairs & ids for each in by_authority)
    else:
        is_ours = not known or any(each.store == store for each in known)
    if is_ours:
        return None
    return next((each for each in known if each.store), known[0])


def _of_boot(boot: Mapping[str, Any]) -> Origin:
    return Origin(
        str(boot.get("store") or "").rstrip("/"),
        certificates_in(str((boot.get("servers") or {}).get("ca") or "")),
        frozenset(map(str, (boot.get("keysets") or {}).get(_KUBERNETES_CA) or ())),
    )


def _of_kops(text: str) -> Origin:
    packed = _COMPRESSED.search(text)
    if packed:
        try:
            text = gzip.decompress(base64.b64decode(packed[1])).decode("utf-8", "replace")
        except (ValueError, OSError, EOFError):
            return Origin()
    base, authorities = _CONFIG_BASE.search(text), _AUTHORITIES.search(text)
    return Origin(
        base[1].rstrip("/") if base else "",
        certificates_in(authorities[2]) if authorities else frozenset(),
    )
