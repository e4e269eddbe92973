# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.api import Google
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.cloud_dns import ManagedZone
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

from .fake_google import FakeGoogle

NAME = "api.demo.example.com"
RECORD = RecordSet(NAME, "A", ("192.0.2.1", "192.0.2.2"))


def described(*values: str, ttl: int = 60, name: str = NAME, record_type: str = "A") -> dict[str, object]:
    return {"name": f"{name}.", "type": record_type, "ttl": ttl, "rrdatas": list(values)}


@pytest.fixture(autouse=True)
def zones(cloud: FakeGoogle) -> FakeGoogle:
    """example.com is public, example.org twice, and example.net twice in one kind."""
    for name, dns_name, visibility in (
        ("public-com", "example.com.", "public"),
        ("public-org", "example.org.", "public"),
        ("private-org", "example.org.", "private"),
        ("one-net", "example.net.", "public"),
        ("two-net", "example.net.", "public"),
    ):
        cloud.objects[f"dns/{name}"] = {"name": name, "dnsName": dns_name, "visibility": visibility}
        cloud.zones[name] = {}
    return cloud


@pytest.mark.parametrize(
    ("zone", "private", "found"),
    [
        ("example.com", False, "public-com"),
        # One zone with the name is meant, whatever it is.
        ("example.com", True, "public-com"),
        ("example.com.", False, "public-com"),
        ("Example.com", False, "public-com"),
        ("example.org", False, "public-org"),
        ("example.org", True, "private-org"),
        ("private-org", False, "private-org"),
        ("projects/project-1/managedZones/private-org", False, "private-org"),
    ],
)
def test_a_zone(google: Google, cloud: FakeGoogle, zone: str, private: bool, found: str) -> None:
    ManagedZone(google, zone, private=private).write([RECORD], 60)
    assert {name: [*sets.values()] for name, sets in cloud.zones.items() if sets} == {
        found: [described("192.0.2.1", "192.0.2.2")]
    }


@pytest.mark.parametrize(
    ("zone", "private", "said"),
    [
        ("example.de", False, "Cloud DNS has no managed zone example.de in project project-1"),
        (
            "example.net",
            False,
            r"several managed zones example.net \(one-net, two-net\), of which 2 are public: name one",
        ),
        ("example.net", True, r"several managed zones example.net \(one-net, two-net\), of which 0 are private"),
        ("none", False, "404 notFound The 'parameters.managedZone' resource named 'none' does not exist"),
    ],
)
def test_a_zone_that_is_not_clear(google: Google, zone: str, private: bool, said: str) -> None:
    with pytest.raises(KopsError, match=said):
        ManagedZone(google, zone, private=private).find(NAME, "A")


def test_a_record_set(google: Google, cloud: FakeGoogle) -> None:
    zone = ManagedZone(google, "example.com", private=False)
    assert zone.find(NAME, "A") is None
    cloud.zones["public-com"][f"{NAME}.", "A"] = described("192.0.2.2", "192.0.2.1")
    six = described("2001:db8:0::1", record_type="AAAA")
    cloud.zones["public-com"][f"{NAME}.", "AAAA"] = six
    assert zone.find(NAME, "A") == RECORD
    assert zone.find(NAME, "AAAA") == RecordSet(NAME, "AAAA", ("2001:db8::1",))


def test_what_is_there_is_replaced_in_one_change(google: Google, cloud: FakeGoogle) -> None:
    sets = cloud.zones["public-com"]
    sets[f"{NAME}.", "A"] = described("192.0.2.9", ttl=300)
    same = RecordSet("same.example.com", "A", ("192.0.2.3",))
    sets["same.example.com.", "A"] = described("192.0.2.3", name="same.example.com")
    new = RecordSet("new.example.com", "AAAA", ("2001:db8::1",))
    ManagedZone(google, "example.com", private=False).write([RECORD, same, new], 60)
    assert [*sets.values()] == [
        described("192.0.2.3", name="same.example.com"),
        described("192.0.2.1", "192.0.2.2"),
        described("2001:db8::1", name="new.example.com", record_type="AAAA"),
    ]
    assert [each for each in cloud.asked if each.startswith("POST")] == ["POST managedZones/public-com/changes"]
    cloud.asked.clear()
    ManagedZone(google, "example.com", private=False).write([RECORD, same, new], 60)
    assert not [each for each in cloud.asked if each.startswith("POST")]


def test_whoever_was_faster_is_not_overwritten(
    google: Google, cloud: FakeGoogle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next attempt reads what is there then."""
    sets = cloud.zones["public-com"]
    zone = ManagedZone(google, "example.com", private=False)
    sets[f"{NAME}.", "A"] = described("192.0.2.9")
    known = ManagedZone._described

    def overtaken(self: ManagedZone, name: str, record_type: str) -> object:
        found = known(self, name, record_type)
        sets[f"{NAME}.", "A"] = described("192.0.2.8")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(ManagedZone, "_described", overtaken)
        with pytest.raises(ServiceError, match="412 conditionNotMet"):
            zone.write([RECORD], 60)
    assert [*sets.values()] == [described("192.0.2.8")]
    zone.write([RECORD], 60)
    assert [*sets.values()] == [described("192.0.2.1", "192.0.2.2")]


def test_a_lost_answer_of_a_change(google: Google, cloud: FakeGoogle) -> None:
    """Sent again it is refused; the next attempt finds it done."""
    zone = ManagedZone(google, "example.com", private=False)
    cloud.lost = ["changes"]
    with pytest.raises(ServiceError, match="409 alreadyExists"):
        zone.write([RECORD], 60)
    zone.write([RECORD], 60)
    assert zone.find(NAME, "A") == RECORD
