# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record sets of a hosted zone of Route 53, as the roles of control planes may read and write them.

Route 53 is one service for a whole partition. Unlike kops, only the record sets that are asked for are read: zones may
have thousands of others.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Collection, Iterator
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

from ...base.errors import KopsError
from ..cloud.records import RecordSet
from ..stores.signing import Credentials
from .api import AWS

# Partition -> host, and the region that requests are signed for. Source: the endpoints of AWS' SDKs.
_PLACES = {
    "aws": ("route53.amazonaws.com", "us-east-1"),
    "aws-cn": ("route53.amazonaws.com.cn", "cn-northwest-1"),
    "aws-us-gov": ("route53.us-gov.amazonaws.com", "us-gov-west-1"),
    "aws-iso": ("route53.c2s.ic.gov", "us-iso-east-1"),
    "aws-iso-b": ("route53.sc2s.sgov.gov", "us-isob-east-1"),
    "aws-iso-e": ("route53.cloud.adc-e.uk", "eu-isoe-west-1"),
    "aws-iso-f": ("route53.csp.hci.ic.gov", "us-isof-south-1"),
}
_NAMESPACE = "https://route53.amazonaws.com/doc/2013-04-01/"
_ZONES = "2013-04-01/hostedzone"


class HostedZone:
    """A zone by its name or its id.

    private: whether it is, for zones that are known by their names. credentials: others than the instance's.
    """

    def __init__(
        self, aws: AWS, zone: str, *, private: bool, credentials: Callable[[], Credentials] | None = None
    ) -> None:
        self.aws, self.zone, self.private, self.credentials = aws, zone, private, credentials
        self._id = "" if "." in zone else zone.rpartition("/")[2]

    def find(self, name: str, record_type: str) -> RecordSet | None:
        """See CloudRecords. Raises ServiceError, KopsError."""
        query = urlencode({"name": name, "type": record_type, "maxitems": "1"})
        answer = self._ask("GET", f"{_ZONES}/{self._known_id()}/rrset?{query}")
        for item in answer.iterfind("ResourceRecordSets/ResourceRecordSet"):
            found = _plain(item.findtext("Name") or ""), item.findtext("Type")
            if found == (_plain(name), record_type):
                values = sorted(
                    _address(each.text or "") for each in item.iterfind("ResourceRecords/ResourceRecord/Value")
                )
                return RecordSet(name, record_type, tuple(values), _plain(item.findtext("AliasTarget/DNSName") or ""))
        return None

    def write(self, records: Collection[RecordSet], seconds: int) -> None:
        """See CloudRecords. Raises ServiceError, KopsError."""
        root = ElementTree.Element("ChangeResourceRecordSetsRequest", {"xmlns": _NAMESPACE})
        changes = _add(_add(root, "ChangeBatch"), "Changes")
        for record in records:
            change = _add(changes, "Change")
            _add(change, "Action", "UPSERT")
            wanted = _add(change, "ResourceRecordSet")
            _add(wanted, "Name", record.name)
            _add(wanted, "Type", record.type)
            _add(wanted, "TTL", str(seconds))
            values = _add(wanted, "ResourceRecords")
            for value in record.values:
                _add(_add(values, "ResourceRecord"), "Value", value)
        body = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
        self._ask("POST", f"{_ZONES}/{self._known_id()}/rrset", body)

    def _ask(self, method: str, path: str, body: bytes = b"") -> ElementTree.Element:
        host, region = _PLACES.get(self.aws.told("meta-data/services/partition"), _PLACES["aws"])
        chosen = os.environ.get("AWS_ENDPOINT_URL_ROUTE_53") or os.environ.get("AWS_ENDPOINT_URL")
        endpoint = (chosen or f"https://{host}").rstrip("/")
        return self.aws.rest("route53", region, method, f"{endpoint}/{path}", body, self.credentials)

    def _known_id(self) -> str:
        """Raises KopsError if no zone, or more than one, has the name."""
        if not self._id:
            found = [
                zone for name, private, zone in self._all() if (name, private) == (_plain(self.zone), self.private)
            ]
            kind = "private" if self.private else "public"
            if not found:
                raise KopsError(f"Route 53 has no {kind} hosted zone {self.zone}")
            if len(found) > 1:
                raise KopsError(
                    f"Route 53 has several {kind} hosted zones {self.zone} ({', '.join(sorted(found))}): "
                    "name one by its id in spec.dnsZone"
                )
            self._id = found[0]
        return quote(self._id, safe="")

    def _all(self) -> Iterator[tuple[str, bool, str]]:
        """Name, whether it is private, and id of every zone of the account."""
        marker = ""
        while True:
            answer = self._ask("GET", _ZONES + (f"?{urlencode({'marker': marker})}" if marker else ""))
            for item in answer.iterfind("HostedZones/HostedZone"):
                private = item.findtext("Config/PrivateZone") == "true"
                yield _plain(item.findtext("Name") or ""), private, (item.findtext("Id") or "").rpartition("/")[2]
            marker = answer.findtext("NextMarker") or ""
            if answer.findtext("IsTruncated") != "true" or not marker:
                return


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    element = ElementTree.SubElement(parent, name)
    element.text = text or None
    return element


def _address(text: str) -> str:
    """An address as it is written most often; IPv6 has several ways."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text


def _plain(name: str) -> str:
    return name.rstrip(".").lower()
