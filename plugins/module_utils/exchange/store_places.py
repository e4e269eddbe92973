# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of a cluster's store are: keysets and secrets may be outside of the cluster's directory.

boot.json and the bootstrap server's configuration have only what is ``elsewhere``: directory -> URL.
"""

from __future__ import annotations

from collections.abc import Mapping

PKI, SECRETS = "pki", "secrets"
# The directory of what belongs to instance groups, as in kops, and in it that of groups of workers.
GROUPS, WORKERS = "igconfig", "node"


def url_of(store: str, elsewhere: Mapping[str, str], path: str) -> str:
    """The URL of a file. store: of the cluster's directory. path: as if the file were below that."""
    directory, _slash, rest = path.partition("/")
    if directory in elsewhere:
        return f"{elsewhere[directory].rstrip('/')}/{rest}"
    return f"{store.rstrip('/')}/{path}"


def node_config_of(role: str, group: str, sha256: str) -> str:
    """The path of a NodeConfig. role: as kops spells it in paths."""
    return f"{GROUPS}/{role}/{group}/nodeconfig/{sha256}.json"


def program_of(sha256: str) -> str:
    """The path of a node program."""
    return f"{GROUPS}/node-program/{sha256}.pyz"


def elsewhere_of(store: str, keypairs: str, secrets: str) -> dict[str, str]:
    """What is not below the cluster's directory. keypairs, secrets: URLs as in the specification, "" for below."""
    given = {PKI: keypairs, SECRETS: secrets}
    return {name: url for name, url in given.items() if url and url.rstrip("/") != url_of(store, {}, name)}
