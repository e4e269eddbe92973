# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MariaDB, in which the services keep what there is; it is fast, and forgets what was not written when it is killed."""

from __future__ import annotations

import subprocess

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack.services import LOOPBACK, Services


class Database:
    """The running server."""

    def __init__(self, services: Services) -> None:
        self._services = services
        (self._port,) = free_ports(1)
        place, root = services.directory / "database", services.root
        common = (
            *("--no-defaults", "--user=root", f"--datadir={place}", f"--basedir={root}/usr"),
            *("--innodb-flush-method=nosync", "--innodb-use-native-aio=0"),
            *(f"--lc-messages-dir={root}/usr/share/mysql", f"--plugin-dir={root}/usr/lib/mysql/plugin"),
        )
        install = services.programs / "mariadb-install-db"
        services.run(install, *common, "--auth-root-authentication-method=normal", "--skip-test-db", shell=True)
        services.start(
            "database",
            root / "usr/sbin/mariadbd",
            *common,
            *(f"--bind-address={LOOPBACK}", f"--port={self._port}", f"--socket={place}.sock", "--max-connections=500"),
            *("--skip-log-bin", "--skip-name-resolve", "--performance-schema=OFF"),
            *("--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-buffer-pool-size=256M"),
            *("--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci"),
        )
        services.wait_for_port("database", self._port)

    def make(self, *names: str) -> None:
        """Make empty databases."""
        command = (
            self._services.programs / "mariadb",
            "--no-defaults",
            "-uroot",
            f"-h{LOOPBACK}",
            f"-P{self._port}",
            "-e",
        )
        subprocess.run(
            [*map(str, command), "; ".join(f"create database {name}" for name in names)],
            env=self._services.environment({}),
            check=True,
        )

    def url(self, name: str) -> str:
        """As SQLAlchemy has it."""
        return f"mysql+pymysql://root@{LOOPBACK}:{self._port}/{name}?charset=utf8mb4"
