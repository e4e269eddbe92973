# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instance a request comes from: the stub has signed for it, and says where the instance is."""

from __future__ import annotations

import hashlib

from ..cloud.identity import Admission, Evidence, Identity, Refused, Unavailable
from .api import StubAPI
from .instance import SCHEME


class StubVerifier:
    """Knows the workers of a cluster by a signature for this very request, and by the address that it comes from."""

    def __init__(self, cluster: str) -> None:
        self.cluster, self.api = cluster, StubAPI()

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        """See Verifier."""
        scheme, _space, token = evidence.proof.partition(" ")
        if scheme != SCHEME or not token:
            raise Refused("the request carries no proof of identity")
        admission.ask_cloud()
        try:
            wanted = {"token": token, "hash": hashlib.sha256(evidence.body).hexdigest()}
            found = self.api.ask("verify", wanted)
        except OSError as error:
            raise Unavailable(str(error)) from error
        if not found:
            raise Refused("the stub has not signed this request")
        if (found["cluster"], found["role"]) != (self.cluster, "Node"):
            raise Refused(f"{found['name']} is no worker of cluster {self.cluster}")
        if found["address"] != evidence.caller:
            raise Refused(f"{found['name']} has the address {found['address']}, not {evidence.caller}")
        return Identity(found["group"], {"NODE_NAME": found["name"], "INTERNAL_IP": found["address"]})
