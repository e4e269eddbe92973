# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to vCenter, by its SOAP API, with the login of this control plane. Nothing is written.

The environment says where it is, and by what it is known: VSPHERE_SERVER (a host, or a URL), VSPHERE_THUMBPRINT (of its
certificate, by SHA-256, in hexadecimal), VSPHERE_CA (the certificate of its authority: PEM, in base64),
VSPHERE_ALLOW_UNVERIFIED_SSL. VSPHERE_API_ADDRESS is the address of the Kubernetes API, if control planes hold it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import ssl
import threading
import urllib.error
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from ...base.errors import KopsError
from ..cloud.given import given_credentials
from ..stores.xml_service import ServiceError, read_xml, retried

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
    '<{method} xmlns="urn:vim25"><_this type={kind}>{object}</_this>{arguments}</{method}>'
    "</soapenv:Body></soapenv:Envelope>"
)
_PATH, _SECONDS, _LONGEST_ANSWER = "/sdk", 20, 1 << 26
_NOT_LOGGED_IN = "NotAuthenticated"
_MACHINE = "VirtualMachine"
_PROPERTIES = ("name", "config.uuid", "runtime.powerState", "guest.net", "guest.ipAddress", "config.extraConfig")
# Of answers; a page has as many objects as vCenter likes.
_MOST_PAGES = 1000

Login = Callable[[], tuple[str, str]]


def _given() -> tuple[str, str]:
    """User and password. Raises OSError."""
    try:
        said = json.loads(given_credentials()["token"])
        return str(said["user"]), str(said["password"])
    except (ValueError, KeyError, TypeError):
        raise OSError("the credentials of this control plane are none of vCenter") from None


@dataclass(frozen=True)
class VirtualMachine:
    """A virtual machine. addresses: as VMware Tools say them. marks: its extra configuration."""

    name: str
    uuid: str = ""
    power: str = ""
    addresses: tuple[str, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)


class VCenter:
    """vCenter. All methods raise ServiceError, KopsError, OSError.

    ask: gives the login as it is now, for another one may have been given; raises OSError without one.
    """

    def __init__(self, ask: Login = _given) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._cookie, self._is_logged_in = "", False
        self._content: dict[str, str] = {}

    def machines(self, folder: str) -> list[VirtualMachine]:
        """Those of a folder, by its inventory path, and of folders in it; none while there is no such folder."""
        with self._lock:
            found = self._call("FindByInventoryPath", "searchIndex", f"<inventoryPath>{escape(folder)}</inventoryPath>")
            place = found.findtext(".//returnval") or ""
            return list(self._listed(place, "Folder", _PROPERTIES)) if place else []

    def names(self) -> set[str]:
        """The names of all virtual machines that the login sees."""
        with self._lock:
            self._log_in_once()
            return {each.name for each in self._listed(self._content["rootFolder"], "Folder", ("name",))}

    # -- calls ----------------------------------------------------------------------------------------------------

    def _listed(self, folder: str, kind: str, properties: Sequence[str]) -> Iterator[VirtualMachine]:
        arguments = f"<container type={quoteattr(kind)}>{escape(folder)}</container>"
        arguments += f"<type>{_MACHINE}</type><recursive>true</recursive>"
        view = self._call("CreateContainerView", "viewManager", arguments).findtext(".//returnval") or ""
        paths = "".join(f"<pathSet>{path}</pathSet>" for path in properties)
        wanted = (
            f"<specSet><propSet><type>{_MACHINE}</type>{paths}</propSet>"
            f'<objectSet><obj type="ContainerView">{escape(view)}</obj><skip>true</skip>'
            '<selectSet xsi:type="TraversalSpec"><name>view</name><type>ContainerView</type><path>view</path>'
            "<skip>false</skip></selectSet></objectSet></specSet><options></options>"
        )
        try:
            answer = self._call("RetrievePropertiesEx", "propertyCollector", wanted)
            for _page in range(_MOST_PAGES):
                yield from map(_machine, answer.iter("objects"))
                token = answer.findtext(".//returnval/token") or ""
                if not token:
                    return
                more = f"<token>{escape(token)}</token>"
                answer = self._call("ContinueRetrievePropertiesEx", "propertyCollector", more)
        finally:
            with contextlib.suppress(KopsError, OSError):
                self._exchange("DestroyView", view, "ContainerView", "")

    def _call(self, method: str, manager: str, arguments: str) -> Element:
        """manager: a property of the service's content. A session that has ended is begun again."""
        self._log_in_once()
        try:
            return self._asked(method, manager, arguments)
        except ServiceError as error:
            if error.code != _NOT_LOGGED_IN:
                raise
        self._is_logged_in = False
        self._log_in_once()
        return self._asked(method, manager, arguments)

    def _asked(self, method: str, manager: str, arguments: str) -> Element:
        kind = manager[0].upper() + manager[1:]
        return retried(f"vCenter {method}", lambda: self._exchange(method, self._content[manager], kind, arguments))

    def _log_in_once(self) -> None:
        if self._is_logged_in:
            return
        user, password = self._ask()
        self._cookie = ""
        content = self._exchange("RetrieveServiceContent", "ServiceInstance", "ServiceInstance", "")
        self._content = {each.tag: each.text or "" for each in content.iterfind(".//returnval/*")}
        arguments = f"<userName>{escape(user)}</userName><password>{escape(password)}</password>"
        self._exchange("Login", self._content["sessionManager"], "SessionManager", arguments)
        self._is_logged_in = True

    def _exchange(self, method: str, managed: str, kind: str, arguments: str) -> Element:
        """One request. Raises ServiceError for a fault, and OSError."""
        body = _ENVELOPE.format(method=method, kind=quoteattr(kind), object=escape(managed), arguments=arguments)
        headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": "urn:vim25/6.5"}
        connection = _connected()
        try:
            connection.request(
                "POST", _PATH, body.encode(), {**headers, **({"Cookie": self._cookie} if self._cookie else {})}
            )
            answer = connection.getresponse()
            content = answer.read(_LONGEST_ANSWER)
        finally:
            connection.close()
        cookie = answer.getheader("Set-Cookie")
        if cookie:
            self._cookie = cookie.partition(";")[0]
        if answer.status == http.client.OK:
            return read_xml(content)
        fault = _fault(content)
        if fault is None:
            raise urllib.error.HTTPError(_PATH, answer.status, answer.reason, Message(), BytesIO(content))
        raise ServiceError(f"vCenter {method}", answer.status, *fault)


# -- answers ----------------------------------------------------------------------------------------------------------


def _machine(found: Element) -> VirtualMachine:
    values = {each.findtext("name"): each.find("val") for each in found.iterfind("propSet")}

    def text(name: str) -> str:
        value = values.get(name)
        return (value.text or "") if value is not None else ""

    net, extra = values.get("guest.net"), values.get("config.extraConfig")
    addresses = [each.text or "" for each in net.iter("ipAddress")] if net is not None else []
    first = text("guest.ipAddress")
    marks = {}
    for each in extra if extra is not None else ():
        marks[each.findtext("key") or ""] = each.findtext("value") or ""
    kept = dict.fromkeys(each for each in ([first] if first else []) + addresses if _is_of_hosts(each))
    return VirtualMachine(text("name"), text("config.uuid").lower(), text("runtime.powerState"), tuple(kept), marks)


def _is_of_hosts(address: str) -> bool:
    """IPv4; neither one that each host has for itself, nor that of the Kubernetes API, which they hold by turns."""
    is_own = not address.startswith(("127.", "169.254.")) and address != os.environ.get("VSPHERE_API_ADDRESS")
    return address.count(".") == 3 and is_own


def _fault(content: bytes) -> tuple[str, str] | None:
    """Code and words of a fault; None if it is none."""
    try:
        root = read_xml(content)
    except KopsError:
        return None
    words = root.findtext(".//faultstring")
    if words is None:
        return None
    detail: Any = root.find(".//detail/*")
    code = "" if detail is None else str(detail.tag).removesuffix("Fault")
    return code, words


# -- connections ------------------------------------------------------------------------------------------------------


def _connected() -> http.client.HTTPConnection:
    """A connection to vCenter, which is not through a proxy. Raises OSError."""
    server = os.environ.get("VSPHERE_SERVER") or ""
    place = urlsplit(server if "://" in server else f"https://{server}")
    if not place.hostname:
        raise OSError("user data has not told this server where vCenter is: VSPHERE_SERVER of the environment is none")
    if place.scheme == "http":
        return http.client.HTTPConnection(place.hostname, place.port or 80, timeout=_SECONDS)
    wanted = (os.environ.get("VSPHERE_THUMBPRINT") or "").replace(":", "").lower()
    authority = base64.b64decode(os.environ.get("VSPHERE_CA") or "").decode()
    context = ssl.create_default_context(cadata=authority or None)
    if wanted or (os.environ.get("VSPHERE_ALLOW_UNVERIFIED_SSL") or "").lower() in ("1", "true"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection(place.hostname, place.port or 443, timeout=_SECONDS, context=context)
    if wanted:
        connection.connect()
        certificate = connection.sock.getpeercert(binary_form=True) or b""
        if not hmac.compare_digest(hashlib.sha256(certificate).hexdigest(), wanted):
            connection.close()
            raise OSError(f"{place.hostname} has another certificate than vCenter had: VSPHERE_THUMBPRINT is {wanted}")
    return connection
