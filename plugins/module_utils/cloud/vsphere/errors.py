# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter refuses, and what to do then. Faults are known by the names of their classes, without the library."""

from __future__ import annotations

import re
from typing import Any

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ..errors import AccessDenied, CloudError, Exists, Missing, NoLogin, as_sentence

SERVER, USER, PASSWORD = "VSPHERE_SERVER", "VSPHERE_USER", "VSPHERE_PASSWORD"
INSECURE, THUMBPRINT, CA_FILE = "VSPHERE_ALLOW_UNVERIFIED_SSL", "VSPHERE_THUMBPRINT", "VSPHERE_CA_FILE"
# The session has ended: nothing was done.
EXPIRED = "vim.fault.NotAuthenticated"
# vCenter may have done what it was asked for, or not: classes of exceptions that break off a request.
UNKNOWN = ("ConnectionError", "TimeoutError", "OSError", "HTTPException", "ExpatError")
# It is being worked on, or used by what is on its way out.
_PASSING = (
    "vim.fault.TaskInProgress",
    "vim.fault.ConcurrentAccess",
    "vim.fault.ResourceInUse",
    "vim.fault.FileLocked",
    "vim.fault.HostCommunication",
)
_MISSING = ("vmodl.fault.ManagedObjectNotFound", "vim.fault.NotFound", "vim.fault.FileNotFound")
_EXISTS = ("vim.fault.DuplicateName", "vim.fault.AlreadyExists", "vim.fault.FileAlreadyExists")
_DENIED = ("vim.fault.NoPermission",)
# Faults -> what to do. Others speak for themselves.
ADVICE = {
    "vim.fault.InvalidLogin": f"vCenter refuses the login: check {USER} and {PASSWORD}",
    "vim.fault.NoPermission": "the user lacks a privilege",
    "vim.fault.InsufficientResourcesFault": "the resource pool or its hosts have none of it left",
    "vim.fault.NoDiskSpace": "the datastore is full",
    "vim.fault.InvalidPowerState": "the virtual machine is in another power state",
    "vim.fault.RestrictedVersion": "the licence of vCenter does not allow it",
    "vim.fault.NoCompatibleHost": "no host of the compute cluster reaches the datastore and the network",
}
LIBRARY_ERRORS = {
    "SSLCertVerificationError": (
        f"vCenter's certificate is not trusted: name its authority in {CA_FILE}, or its fingerprint in {THUMBPRINT}"
    ),
    "SSLError": "the connection to vCenter is not trusted",
    "OtherCertificate": f"the certificate of vCenter has another fingerprint than {THUMBPRINT} says",
    "gaierror": f"the name of vCenter is not known: check {SERVER}",
    "TimeoutError": "vCenter did not answer: check the network and proxies",
    "ConnectionError": "vCenter cannot be reached: check the network and proxies",
    "OSError": "vCenter cannot be reached: check the network and proxies",
    "HTTPException": "what answers is no vCenter",
    "ExpatError": "what answers is no vCenter",
}
# Words of the REST API -> what an error becomes.
_WORDS = {
    "unauthorized": AccessDenied,
    "unauthenticated": NoLogin,
    "not_found": Missing,
    "already_exists": Exists,
}
_STATUSES = {401: NoLogin, 403: AccessDenied, 404: Missing}
_ERROR = re.compile(r"com\.vmware\.vapi\.std\.errors\.(\w+)")


def is_a(error: BaseException, *names: str) -> bool:
    """Whether an exception is of one of these classes, or of what derives from it."""
    return any(kind.__name__ in names for kind in type(error).__mro__)


def is_unknown(error: BaseException) -> bool:
    """Whether an exception leaves open if what was asked for is done."""
    return is_a(error, *UNKNOWN)


def is_fault(error: BaseException) -> bool:
    """Whether it is what vCenter has answered."""
    return is_a(error, "vmodl.MethodFault")


def sentence(error: Any) -> str:
    """What a fault says, in one line."""
    name = type(error).__name__.rpartition(".")[2]
    message = str(getattr(error, "msg", None) or "").strip()
    lacking = getattr(error, "privilegeId", None)
    details = [message] if message and name not in message else []
    details += [f"{lacking}"] if lacking else []
    details += [str(each.message) for each in getattr(error, "faultMessage", None) or () if each.message]
    return " ".join(f"{name}: {', '.join(details)}".split()) if details else name


def refused(error: Any, doing: str) -> KopsError:
    """An error for a fault. doing: what was asked for ("make folder demo").

    TryAgainLater for what passes by itself, NoLogin, AccessDenied, Missing, Exists, and else CloudError.
    """
    said = sentence(error)
    if is_a(error, *_PASSING):
        return TryAgainLater(f"cannot {doing} yet: {said}")
    kinds: tuple[tuple[type[CloudError], tuple[str, ...]], ...] = (
        (NoLogin, ("vim.fault.InvalidLogin", EXPIRED)),
        (AccessDenied, _DENIED),
        (Missing, _MISSING),
        (Exists, _EXISTS),
    )
    kind = next((kind for kind, names in kinds if is_a(error, *names)), CloudError)
    advice = next((text for name, text in ADVICE.items() if is_a(error, name)), "")
    return kind(f"cannot {doing}: {advice} ({said})" if advice else f"cannot {doing}: {said}")


def refused_by_rest(status: int, body: str, doing: str) -> KopsError:
    """An error for an answer of the REST API. status: of HTTP. body: its text."""
    found = _ERROR.search(body)
    word = found[1] if found else ""
    kind = _WORDS.get(word) or _STATUSES.get(status, CloudError)
    advice = {NoLogin: ADVICE["vim.fault.InvalidLogin"], AccessDenied: ADVICE["vim.fault.NoPermission"]}.get(kind, "")
    said = word.replace("_", " ") or f"HTTP {status}"
    return kind(f"cannot {doing}: {advice} ({said})" if advice else f"cannot {doing}: {said}")


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("read the inventory"). Nothing of the login is ever in the text.
    """
    if isinstance(error, ImportError):
        return NoLogin(f"the Python library {error.name} is missing: install it with 'pip install pyvmomi requests'")
    if is_fault(error):
        return refused(error, where or "ask vCenter")
    return as_sentence(error, where, LIBRARY_ERRORS)
