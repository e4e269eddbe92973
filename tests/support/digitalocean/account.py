# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account of DigitalOcean in memory, with the rules that matter: what it refuses, and what it does later.

Facts: the API's reference, pydo's docstrings, and what kops, the CSI driver and the cloud controller rely on.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any

from ..rest_server import Call, Refusal, Reply, RestServer
from . import catalog
from .answers import missing, page, refused
from .droplets import Droplets
from .firewalls import Firewalls
from .keys import Keys
from .names import Names
from .networks import Networks
from .pending import Pending
from .tags import Tags
from .volumes import Volumes

TOKEN = "dop_v1_test"
_HOURLY, _BURST, _WINDOW = 5000, 250, 60.0
_WORDS = {401: "unauthorized", 422: "unprocessable_entity", 429: "too_many_requests", 500: "server_error"}


class Account:
    """looks: after so many reads, what is made later is there. tokens: those that are good; empty for any.

    burst: so many requests are taken in window seconds, of each token.
    """

    def __init__(self, looks: int = 1, burst: int = _BURST, window: float = _WINDOW) -> None:
        self.tokens: set[str] = set()
        self.burst, self.window = burst, window
        self._count, self._times = 0, defaultdict[str, deque[float]](deque)
        self._asking = ""
        self.pending = Pending(looks)
        self.tags = Tags()
        self.keys = Keys()
        self.networks = Networks(self.pending, self.tags)
        self.firewalls = Firewalls(self.tags, self.networks)
        self.tags.firewalls = self.firewalls
        self.volumes = Volumes(self.pending, self.tags)
        self.droplets = Droplets(self.pending, self.tags, self.networks, self.volumes, self.keys)
        self.names = Names()
        self.networks.droplets = self.volumes.droplets = self.droplets
        self.tags.kinds = {"droplet": self.droplets.objects, "volume": self.volumes.objects}
        self._routes: list[tuple[str, re.Pattern[str], Callable[..., Any]]] = []
        parts = (self, self.tags, self.keys, self.networks, self.firewalls, self.volumes, self.droplets, self.names)
        for part in (*parts, self.pending):
            for route, handler in part.routes().items():
                method, _space, path = route.partition(" ")
                pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path)
                self._routes.append((method, re.compile(f"/v2/{pattern}"), handler))

    def routes(self) -> dict[str, Callable[..., Any]]:
        """What is the same in all accounts."""
        return {
            "GET account": lambda call: {"account": {"uuid": "a1", "droplet_limit": 25, "status": "active"}},
            "GET regions": lambda call: page(call, "regions", catalog.REGIONS),
            "GET sizes": lambda call: page(call, "sizes", catalog.SIZES),
            "GET images": self._images,
            "GET images/{identifier}": self._image,
        }

    def everything(self) -> list[str]:
        """Of all objects, what they are and are called."""
        found = [f"droplet {each['name']}" for each in self.droplets.objects.values()]
        found += [f"volume {each['name']}" for each in self.volumes.objects.values()]
        found += [f"load balancer {each['name']}" for each in self.networks.balancers.values()]
        found += [f"firewall {each['name']}" for each in self.firewalls.objects.values()]
        found += [f"VPC {each['name']}" for each in self.networks.vpcs.values() if not each["default"]]
        found += [f"key {each['name']}" for each in self.keys.objects.values()]
        found += [f"tag {each}" for each in self.tags.names]
        for domain, records in self.names.records.items():
            found += [f"record {each['type']} {each['name']} {domain}" for each in records.values()]
        return sorted(found)

    def add_droplet(self, body: dict[str, Any]) -> int:
        """A droplet that runs already, as a request would make it; returns its id."""
        made = self.droplets.create(Call("POST", "/v2/droplets", body=body))[1]["droplet"]
        for _look in range(self.pending.looks):
            self.pending.tick()
        return int(made["id"])

    # -- what the server asks -------------------------------------------------------------------------------------

    def headers(self) -> Mapping[str, str]:
        """What all answers say of the rate."""
        times = self._times[self._asking]
        oldest = times[0] if times else time.time()
        return {
            "ratelimit-limit": str(_HOURLY),
            "ratelimit-remaining": str(max(_HOURLY - self._count, 0)),
            "ratelimit-reset": str(int(oldest + self.window) + 1),
        }

    def spoiled(self, status: int) -> Reply:
        """A refusal that has no reason in the request."""
        reply = refused(status, _WORDS.get(status, "server_error"), f"spoiled with {status}")
        more = {"retry-after": "1"} if status == 429 else {}
        return Reply(reply.status, reply.body, more)

    def answer(self, call: Call) -> Reply:
        """Raises Refusal."""
        if not call.token or (self.tokens and call.token not in self.tokens):
            raise Refusal(refused(401, "unauthorized", "Unable to authenticate you"))
        self._count_in(call.token)
        if not call.writes:
            self.pending.tick()
        for method, pattern, handler in self._routes:
            match = pattern.fullmatch(call.path)
            if match and method == call.method:
                content = handler(call, **match.groupdict())
                if isinstance(content, tuple):
                    return Reply(*content)
                return Reply(204 if content is None else 200, content)
        raise missing()

    def _count_in(self, token: str) -> None:
        now, times = time.time(), self._times[token]
        self._asking = token
        while times and times[0] <= now - self.window:
            times.popleft()
        if len(times) >= self.burst:
            reply = refused(429, "too_many_requests", "API Rate limit exceeded.")
            seconds = max(int(times[0] + self.window - now) + 1, 1)
            raise Refusal(Reply(reply.status, reply.body, {"retry-after": str(seconds)}))
        times.append(now)
        self._count += 1

    def _images(self, call: Call) -> Any:
        is_public = call.value("type") in ("", "distribution") and not call.values("private")
        return page(call, "images", catalog.IMAGES if is_public else [])

    def _image(self, call: Call, identifier: str) -> Any:
        found = catalog.image(identifier)
        if found is None:
            raise missing()
        return {"image": found}


def environment(server: RestServer, token: str = TOKEN) -> dict[str, str]:
    """The variables that name an account on loopback."""
    return {"DIGITALOCEAN_API_URL": server.url, "DIGITALOCEAN_ACCESS_TOKEN": token}
