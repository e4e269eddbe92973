# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in /etc/hosts of nodes in a cloud without DNS."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import API_HOSTS

from ..conftest import by

WITHOUT_DNS = {"networking.topology": {"dns": "None"}, "dnsZone": None}


def hosts(config_of, group, **changes):
    return by("path", config_of(group, on_metal=False, **changes)["files"]).get("/etc/hosts", {}).get("content")


def test_workers_get_the_load_balancer_from_their_user_data(config_of):
    config = config_of("nodes", on_metal=False, fields=WITHOUT_DNS)
    assert by("path", config["files"])["/etc/hosts"]["content"] == f"@@{API_HOSTS}@@\n"
    assert API_HOSTS in config["facts"]


def test_control_planes_ask_the_api_server_next_door(config_of):
    assert hosts(config_of, "control-plane", fields=WITHOUT_DNS).startswith("127.0.0.1 api.internal.demo.example.com")


def test_where_dns_has_the_names_there_are_none(config_of):
    assert hosts(config_of, "nodes") is None
