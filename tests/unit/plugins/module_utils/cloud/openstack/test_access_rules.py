# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests the rules of a cluster's credential match, as services match them."""

from __future__ import annotations

import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import access_rules

MARK = access_rules.mark("demo.k8s.local", "p1")
STORE = "swift://state/demo.k8s.local"
BACKUPS = f"{STORE}/backups/etcd/main"


def rules(types=access_rules.TYPES, read=(STORE, BACKUPS, None), written=(BACKUPS,), with_names=True):
    return access_rules.rules(types, read=read, written=written, with_names=with_names)


def is_allowed(service, method, path, given=None):
    """As auth_token of keystonemiddleware compares: of literals, nothing is escaped."""
    segment = r"\{[^}]*\}|(?<!\*)\*(?!\*)"
    for each in access_rules.as_asked(given or rules(), MARK):
        pattern = "".join(
            ".*" if part == "**" else r"[^\/]+" if re.fullmatch(segment, part) else part
            for part in re.split(rf"(\*\*|{segment})", each["path"])
        )
        if (each["service"], each["method"]) == (service, method) and re.match(f"^{pattern}$", path):
            return True
    return False


@pytest.mark.parametrize(
    ("service", "method", "path"),
    [
        ("compute", "GET", "/v2.1/servers/detail"),
        # Behind a path, with the project.
        ("compute", "GET", "/compute/v2.1/p1/servers/s1/os-interface"),
        ("compute", "POST", "/v2.1/servers/s1/os-volume_attachments"),
        ("network", "GET", "/v2.0/ports"),
        ("network", "PUT", "/networking/v2.0/ports/p"),
        ("network", "POST", "/v2.0/security-group-rules"),
        ("load-balancer", "DELETE", "/v2/lbaas/loadbalancers/l"),
        ("load-balancer", "PUT", "/load-balancer/v2.0/lbaas/pools/p/members"),
        ("block-storage", "POST", "/v3/p1/volumes/v/action"),
        ("dns", "PUT", "/v2/zones/z/recordsets/r"),
        ("key-manager", "GET", "/v1/secrets/s"),
        ("object-store", "GET", "/v1/AUTH_p1/state"),
        ("object-store", "HEAD", "/swift/v1/AUTH_p1/state/demo.k8s.local/config"),
        ("object-store", "PUT", "/v1/AUTH_p1/state/demo.k8s.local/backups/etcd/main/control/a"),
    ],
)
def test_what_a_cluster_asks_is_allowed(service, method, path):
    assert is_allowed(service, method, path)


@pytest.mark.parametrize(
    ("service", "method", "path"),
    [
        ("compute", "POST", "/v2.1/servers"),
        ("compute", "POST", "/v2.1/servers/s1/action"),
        ("compute", "DELETE", "/v2.1/servers/s1"),
        ("compute", "POST", "/v2.1/servers/s1/metadata"),
        ("network", "POST", "/v2.0/ports"),
        ("network", "PUT", "/v2.0/routers/r"),
        ("block-storage", "POST", "/v3/p1/os-volume-transfer"),
        ("dns", "DELETE", "/v2/zones/z"),
        ("key-manager", "GET", "/v1/secrets/s/payload"),
        ("key-manager", "PUT", "/v1/secrets/s/acl"),
        ("image", "GET", "/v2/images"),
        ("identity", "GET", "/v3/projects"),
        ("object-store", "GET", "/v1/AUTH_p1"),
        ("object-store", "GET", "/v1/AUTH_p1/other"),
        ("object-store", "GET", "/v1/AUTH_p1/state2"),
        ("object-store", "GET", "/v1/AUTH_p1/state/other.k8s.local/pki/private/ca"),
        ("object-store", "PUT", "/v1/AUTH_p1/state/demo.k8s.local/config"),
        ("object-store", "DELETE", "/v1/AUTH_p1/state/demo.k8s.local/pki/private/ca"),
    ],
)
def test_all_else_is_refused(service, method, path):
    assert not is_allowed(service, method, path)


def test_services_that_a_cloud_does_not_have_get_no_rules_and_each_has_its_name_there():
    found = rules(("compute", "volumev3", "identity"))
    assert {each.split()[0] for each in found} == {"compute", "volumev3"}
    assert len({each.split()[0] for each in rules(("block-storage", "volumev3"))}) == 2
    assert not any(each.startswith("dns") for each in rules(with_names=False))


def test_stores_of_other_kinds_get_no_rules_and_those_below_others_none_of_their_own():
    assert not any(each.startswith("object-store") for each in rules(read=("memfs://a/b", "s3://c/d"), written=()))
    found = rules(read=(STORE, f"{STORE}/pki/", "swift://keys/demo"), written=())
    assert [each for each in found if each.startswith("object-store GET")] == [
        "object-store GET /keys",
        "object-store GET /keys/demo/**",
        "object-store GET /state",
        "object-store GET /state/demo.k8s.local/**",
    ]


def test_names_of_containers_are_no_patterns():
    found = rules(read=("swift://a(b)+$c/d",), written=())
    assert is_allowed("object-store", "GET", "/v1/AUTH_p1/a(b)+$c/d/e", found)
    assert not is_allowed("object-store", "GET", "/v1/AUTH_p1/abc/d/e", found)


def test_paths_fit_into_keystone():
    found = rules(read=(f"swift://{'c' * 200}/demo",), written=())
    assert max(len(each["path"]) for each in access_rules.as_asked(found, MARK)) <= 128
    assert is_allowed("object-store", "GET", f"/v1/AUTH_p1/{'c' * 200}/demo/config", found)
    assert not is_allowed("object-store", "GET", "/v1/AUTH_p1/ccc/demo/config", found)


def test_rules_are_known_again_by_the_mark_of_their_cluster_alone():
    asked = access_rules.as_asked(rules(), MARK)
    assert access_rules.known(asked, MARK) == rules()
    for other in (("demo.k8s.local", "p2"), ("demo", "p1")):
        assert access_rules.known(asked, access_rules.mark(*other)) == []
    assert access_rules.known([{"service": "compute", "method": "GET", "path": "/v2.1/servers"}], MARK) == []
