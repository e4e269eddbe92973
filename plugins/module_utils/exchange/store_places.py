# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of a cluster's store are: keysets and secrets may be outside of the cluster's directory.

boot.json and the bootstrap server's configuration have only what is ``elsewhere``: directory -> URL.
"""

from __future__ import annotations

from collections.abc import Mapping

PKI, SECRETS = "pki", "secrets"


def url_of(store: str, elsewhere: Mapping[str, str], path: str) -> str:
    """The URL of a file. store: of the cluster's directory. path: as if the file were below that."""
    directory, _slash, rest = path.partition("/")
    if directory in elsewhere:
        return f"{elsewhere[directory].rstrip('/')}/{rest}"
    return f"{store.rstrip('/')}/{path}"


def elsewhere_of(store: str, keypairs: str, secrets: str) -> dict[str, str]:
    """What is not below the cluster's directory. keypairs, secrets: URLs as in the specification, "" for below."""
    given = {PKI: keypairs, SECRETS: secrets}
    return {name: url for name, url in given.items() if url and url.rstrip("/") != url_of(store, {}, name)}
