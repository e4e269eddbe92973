# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Swift: objects. One of each of its servers, which keep one copy of what there is."""

from __future__ import annotations

import getpass
from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack import packages
from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST, Services

_KINDS = ("account", "container", "object")
# Roles of those who may have containers.
_OPERATORS = "admin, member"
_FILTERS = (
    *("catch_errors", "gatekeeper", "healthcheck", "bulk", "authtoken", "keystoneauth"),
    *("copy", "slo", "dlo", "versioned_writes", "symlink"),
)
# What is stored where: 64 partitions, one copy, one device.
_RING = """
import sys
from swift.common.ring.builder import RingBuilder
builder = RingBuilder(6, 1, 0)
host, port = sys.argv[2], int(sys.argv[3])
place = dict(ip=host, port=port, replication_ip=host, replication_port=port)
builder.add_dev(dict(region=1, zone=1, device="device", weight=1.0, meta="", **place))
builder.rebalance()
builder.get_ring().save(sys.argv[1])
"""
# The path of its configuration is a constant.
_SERVER = """
import sys
from swift.common import utils
from swift.common.wsgi import run_wsgi
utils.SWIFT_CONF_FILE = sys.argv[1]
sys.exit(run_wsgi(sys.argv[2], sys.argv[3] + "-server", verbose=False))
"""


class Swift:
    """The running service. token: how it asks Keystone about its callers (keystonemiddleware.auth_token)."""

    def __init__(self, services: Services, token: Mapping[str, str]) -> None:
        self._services = services
        self._port, *ports = free_ports(1 + len(_KINDS))
        self.url = f"http://{HOST}:{self._port}"
        (services.directory / "swift/device").mkdir(parents=True)
        services.write("swift.conf", {"swift-hash": {"swift_hash_path_suffix": "a", "swift_hash_path_prefix": "b"}})
        for kind, port in zip(_KINDS, ports, strict=True):
            services.run("-c", _RING, services.directory / f"{kind}.ring.gz", HOST, str(port))
            self._start(kind, port, kind, {f"app:{kind}-server": {"use": f"egg:swift#{kind}"}})
        filters: dict[str, dict[str, str]] = {f"filter:{each}": {"use": f"egg:swift#{each}"} for each in _FILTERS}
        filters["filter:keystoneauth"]["operator_roles"] = _OPERATORS
        filters["filter:versioned_writes"].update(allow_versioned_writes="true", allow_object_versioning="true")
        token_filter = {"paste.filter_factory": "keystonemiddleware.auth_token:filter_factory"}
        filters["filter:authtoken"] = {**token_filter, "delay_auth_decision": "true", **token}
        proxy = {"use": "egg:swift#proxy", "account_autocreate": "true"}
        self._start("proxy", self._port, " ".join(_FILTERS), {"app:proxy-server": proxy, **filters})
        services.wait_for("swift-proxy", f"{self.url}/healthcheck")

    def _start(self, kind: str, port: int, before: str, sections: Mapping[str, Mapping[str, str]]) -> None:
        directory = self._services.directory
        common = {"bind_ip": HOST, "bind_port": port, "user": getpass.getuser(), "swift_dir": directory, "workers": 0}
        stored = {"devices": directory / "swift", "mount_check": "false"}
        pipeline = f"{before if kind == 'proxy' else ''} {kind}-server".strip()
        configuration = self._services.write(
            f"swift-{kind}.conf",
            {"DEFAULT": {**common, **stored}, "pipeline:main": {"pipeline": pipeline}, **sections},
        )
        command = (packages.PYTHON, "-c", _SERVER, directory / "swift.conf", configuration, kind)
        self._services.start(f"swift-{kind}", *command)
