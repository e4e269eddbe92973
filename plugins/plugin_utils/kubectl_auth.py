# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential plugin that kubectl runs, if the module kubeconfig has written a file with auth_plugin.

It is run by its path, with the Python that has the libraries of the collection: kubectl knows nothing of Ansible.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

# .../ansible_collections/kubeops/kops/plugins/plugin_utils/kubectl_auth.py
_ABOVE_COLLECTIONS = 6


def main() -> int:
    """Print an ExecCredential. An error is a line on standard error, which kubectl shows, and the exit code 1."""
    parser = argparse.ArgumentParser(description="Credential plugin of kubectl for clusters of kops.")
    parser.add_argument("--cluster", required=True, help="name of the cluster")
    parser.add_argument("--state", required=True, help="URL of the state store")
    parser.add_argument("--lifetime", default="1h", help="how long a certificate lives")
    given = parser.parse_args()
    place = os.path.abspath(__file__)
    for _each in range(_ABOVE_COLLECTIONS):
        place = os.path.dirname(place)
    # The directory of this file is not to be searched: its names would hide those of libraries.
    sys.path[0] = place

    from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
    from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.credential import (
        CredentialRequest,
        exec_credential,
    )

    try:
        request = CredentialRequest(given.state, given.cluster, given.lifetime)
        print(exec_credential(request, *_api_version()))
    except KopsError as error:
        print(f"kubeops.kops: no credentials for {given.cluster}: {error}", file=sys.stderr)
        return 1
    return 0


def _api_version() -> list[str]:
    """The version of the answer that kubectl wants, if it says so."""
    try:
        return [str(json.loads(os.environ.get("KUBERNETES_EXEC_INFO", ""))["apiVersion"])]
    except (ValueError, KeyError, TypeError):
        return []


if __name__ == "__main__":
    sys.exit(main())
