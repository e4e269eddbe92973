# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata server of all instances: who asks is known by its address."""

from __future__ import annotations

import http.server
import secrets
import threading
import time
from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.lab.google import account
from ansible_collections.kubeops.kops.tests.support import google_metadata


class Tokens:
    """Access tokens that instances were given: token -> address of the service account."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, float]] = {}
        self._of: dict[str, str] = {}

    def of(self, email: str) -> str:
        """One that is good for a while; the same one as before, as Google does."""
        token = self._of.get(email, "")
        if not token or self.known[token][1] < time.time() + 300:
            token = self._of[email] = f"ya29.{secrets.token_urlsafe(24)}"
            self.known[token] = email, time.time() + google_metadata.MetadataServer.seconds
        return token

    def account(self, token: str) -> str:
        """Whose it is; "" if it is nobody's, or has ended."""
        email, ends = self.known.get(token, ("", 0.0))
        return email if ends > time.time() else ""


def paths_of(instance: Mapping[str, Any]) -> dict[str, str]:
    """What the server says to an instance, but for its tokens: path -> text."""
    first, zone = instance["networkInterfaces"][0], instance["zone"].rpartition("/")[2]
    items = instance.get("metadata", {}).get("items", ())
    network_name = first["network"].rpartition("/")[2]
    return {
        "project/project-id": account.PROJECT,
        "project/numeric-project-id": account.NUMBER,
        "instance/id": instance["id"],
        "instance/name": instance["name"],
        "instance/hostname": f"{instance['name']}.{zone}.c.{account.PROJECT}.internal",
        "instance/zone": f"projects/{account.NUMBER}/zones/{zone}",
        "instance/machine-type": f"projects/{account.NUMBER}/machineTypes/{instance['machineType'].rpartition('/')[2]}",
        "instance/network-interfaces/0/ip": address_of(instance),
        "instance/network-interfaces/0/network": f"projects/{account.NUMBER}/networks/{network_name}",
        "instance/service-accounts/default/email": email_of(instance),
        **{f"instance/attributes/{each['key']}": each["value"] for each in items},
    }


def address_of(instance: Mapping[str, Any]) -> str:
    """The first address of an instance in its network."""
    return str(instance["networkInterfaces"][0]["networkIP"])


def email_of(instance: Mapping[str, Any]) -> str:
    """The service account that an instance runs as."""
    return next((str(each["email"]) for each in instance.get("serviceAccounts") or ()), "")


class Metadata:
    """What the server says. instances: address -> paths."""

    def __init__(self) -> None:
        self.instances: dict[str, dict[str, str]] = {}
        self.tokens = Tokens()

    def serve(self) -> None:
        """Serve in a thread, as long as the process lives."""
        known = self

        class Handler(google_metadata.MetadataServer):
            @property
            def paths(self) -> dict[str, str]:  # type: ignore[override]
                return known.instances.get(self.client_address[0], {})

            def token(self) -> str:
                return known.tokens.of(self.paths["instance/service-accounts/default/email"])

            def do_GET(self) -> None:
                # Google refuses what a proxy passes on.
                if "X-Forwarded-For" in self.headers or not self.paths:
                    self.answer(403)
                else:
                    super().do_GET()
                self.asked.clear()

        server = http.server.ThreadingHTTPServer((network.BRIDGE.gateway, network.METADATA_PORT), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
