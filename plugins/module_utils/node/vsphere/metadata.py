# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a virtual machine knows of itself: there is no metadata service.

Its host name is what cloud-init has made of guestinfo.metadata at the first boot. It is not asked for again: any
process of the guest may write guestinfo.
"""

from __future__ import annotations

import re
import socket

from ...base.errors import KopsError
from ...base.vsphere_vm_ids import VIRTUAL_MACHINES

_SERIAL = "/sys/class/dmi/id/product_serial"
_UUID = re.compile(r"VMware-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})")
# Nothing is sent there: it says which address the machine has towards others.
_ELSEWHERE = ("192.0.2.1", 9)


def host_name() -> str:
    """The name of the machine in vCenter. Raises KopsError if the image did not take it."""
    name = socket.gethostname().partition(".")[0]
    if not VIRTUAL_MACHINES.is_id(name):
        raise KopsError(
            f"this machine is called {name!r}, which is no name of a cluster's: its image needs cloud-init with the"
            " data source VMware, which takes the host name from guestinfo.metadata"
        )
    return name


def uuid(path: str = _SERIAL) -> str:
    """Its uuid in vCenter (config.uuid), as the cloud controller of vSphere reads it. Raises OSError, KopsError.

    product_uuid has it with other bytes first, which depends on the version of the virtual hardware.
    """
    with open(path, encoding="ascii", errors="replace") as stream:
        serial = stream.read().strip()
    known = _UUID.fullmatch("VMware-" + re.sub(r"[ -]", "", serial[len("VMware-") :]).lower())
    if not serial.startswith("VMware-") or known is None:
        raise KopsError(f"this is no virtual machine of vSphere: its serial number is {serial!r}")
    return "-".join(known.groups())


def own_address() -> str:
    """Its address towards others; "" while it has no route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(_ELSEWHERE)
        except OSError:
            return ""
        return str(asking.getsockname()[0])
