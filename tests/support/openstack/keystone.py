# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keystone: who users are, what they may do, and where the other services are."""

from __future__ import annotations

import base64
import contextlib
import pathlib
import secrets
import sqlite3

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST, Services

REGION = "RegionOne"
PASSWORD = "testing"


class Keystone:
    """The running service. database: the URL of an empty one, if it is not to have a file."""

    def __init__(self, services: Services, database: str = "") -> None:
        self._services = services
        (self._port,) = free_ports(1)
        self.url = f"http://{HOST}:{self._port}/v3"
        file = services.directory / "keystone.db"
        configuration = self._configure(database or f"sqlite:///{file}")
        manage = (services.programs / "keystone-manage", f"--config-file={configuration}")
        services.run(*manage, "db_sync")
        if not database:
            # Otherwise whoever reads keeps its own writer out.
            with contextlib.closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
        endpoints = (f"--bootstrap-{each}-url={self.url}" for each in ("public", "internal"))
        services.run(
            *manage, "bootstrap", f"--bootstrap-password={PASSWORD}", f"--bootstrap-region-id={REGION}", *endpoints
        )
        services.start_wsgi(
            "keystone",
            self._port,
            "keystone-wsgi-public",
            # A file has one writer.
            threads=6 if database else 1,
            OS_KEYSTONE_CONFIG_FILES=str(configuration),
        )
        services.wait_for("keystone", self.url)

    def _configure(self, database: str) -> pathlib.Path:
        directory = self._services.directory
        keys = directory / "keystone-keys"
        keys.mkdir(mode=0o700)
        # The staged and the primary key.
        for name in ("0", "1"):
            (keys / name).write_bytes(base64.urlsafe_b64encode(secrets.token_bytes(32)))
        repository = {"key_repository": keys}
        return self._services.write(
            "keystone.conf",
            {
                "DEFAULT": {"use_stderr": "true"},
                "database": {"connection": database},
                # In the one process that there is. Without it, each token costs it most of a second.
                "cache": {"enabled": "true", "backend": "dogpile.cache.memory"},
                "credential": repository,
                "fernet_receipts": repository,
                "fernet_tokens": repository,
                # The fewest that there are: users log in often here.
                "identity": {"password_hash_rounds": 4},
                "token": {"provider": "fernet"},
            },
        )
