# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RabbitMQ, by which the parts of a service talk to each other."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack.services import LOOPBACK, Services

_LISTEN = "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2"


class Messages:
    """The running server. url: as oslo.messaging has it."""

    def __init__(self, services: Services) -> None:
        port, distribution, names = free_ports(3)
        self.url = f"rabbit://guest:guest@{LOOPBACK}:{port}/"
        directory = services.directory / "messages"
        directory.mkdir()
        configuration = directory / "rabbitmq.conf"
        configuration.write_text(
            f"listeners.tcp.1 = {LOOPBACK}:{port}\nloopback_users = none\nlog.console = true\n"
            "vm_memory_high_watermark.absolute = 512MB\n"
        )
        (directory / "plugins").write_text("[].\n")
        erlang = services.root / "usr/lib/erlang"
        mapper = {"ERL_EPMD_ADDRESS": LOOPBACK, "ERL_EPMD_PORT": str(names)}
        (program,) = erlang.glob("erts-*/bin/epmd")
        services.start("epmd", program, **mapper)
        services.wait_for_port("epmd", names)
        (server,) = (services.root / "usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/sbin/rabbitmq-server")
        services.start(
            "messages",
            server,
            **mapper,
            RABBITMQ_NODENAME="kubeops@localhost",
            RABBITMQ_CONFIG_FILE=str(configuration),
            RABBITMQ_CONF_ENV_FILE=str(directory / "none"),
            RABBITMQ_MNESIA_BASE=str(directory),
            RABBITMQ_LOG_BASE=str(directory),
            RABBITMQ_ENABLED_PLUGINS_FILE=str(directory / "plugins"),
            RABBITMQ_DIST_PORT=str(distribution),
            RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=_LISTEN,
            PATH=f"{erlang}/bin:{services.environment({})['PATH']}",
        )
        services.wait_for_port("messages", port)
