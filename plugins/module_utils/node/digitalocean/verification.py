# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which droplet a request comes from: the API knows it, and it is asked back (node/cloud/asked_back.py).

The load balancer of the API passes connections on, and hides who has made them. What counts is then that the droplet
answers for the request at its own private address, as in kops.
"""

from __future__ import annotations

import re
from typing import ClassVar

from ..cloud import challenge
from ..cloud.asked_back import Anywhere, AskedBack, IsAnswered, Known
from ..cloud.identity import Refused
from .api import DigitalOcean
from .marks import GROUP, ROLE, RUNNING, WORKER, addresses_of, id_of, is_of, tags_of

SCHEME = "x-kubeops-digitalocean"
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


class DropletVerifier(AskedBack):
    """Tells droplets of one cluster, by their id. tag: one that all of its workers have. behind_balancer: see above."""

    cloud: ClassVar[str] = "DigitalOcean"
    scheme: ClassVar[str] = SCHEME
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9][0-9]{0,18}")

    def __init__(
        self,
        api: DigitalOcean,
        cluster: str,
        tag: str,
        *,
        behind_balancer: bool,
        is_answered: IsAnswered = challenge.is_answered,
    ) -> None:
        super().__init__(is_answered)
        self.api, self.cluster, self._tag, self._behind_balancer = api, cluster, tag.lower(), behind_balancer

    def known(self, server: str) -> Known:
        """As the API describes it."""
        found = (self.api.find(f"/droplets/{server}") or {}).get("droplet") or {}
        tags = tags_of(found)
        if not is_of(found, self.cluster) or self._tag not in (str(each).lower() for each in found["tags"]):
            raise Refused(f"DigitalOcean knows no droplet {server} of the cluster")
        if tags.get(ROLE) != WORKER or not _GROUP.fullmatch(tags.get(GROUP, "")):
            raise Refused(f"droplet {server} is no worker")
        if found.get("status") not in RUNNING:
            raise Refused(f"droplet {server} is {found.get('status')}")
        # DigitalOcean does not say from which addresses.
        balancers = Anywhere() if self._behind_balancer else ()
        return Known(tags[GROUP], id_of(found), addresses_of(found, "private"), balancers)
