# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of an administrator of a cluster."""

from __future__ import annotations

import datetime
import getpass

from ...statestore import pki
from ...statestore.keyset import Keyset

# Kubernetes' group that may do everything.
ADMINISTRATORS = "system:masters"


def admin_pair(authority: Keyset, lifetime: datetime.timedelta) -> pki.KeyPair:
    """A certificate of an administrator, named after the user of this process, with its key."""
    return pki.issue(_admin_request(lifetime), authority.signer())


def _admin_request(lifetime: datetime.timedelta) -> pki.CertificateRequest:
    try:
        name = f"kubecfg-{getpass.getuser()}"
    except (KeyError, OSError):
        name = "kubecfg"
    return pki.CertificateRequest("client", pki.Subject(name, (ADMINISTRATORS,)), validity=lifetime)
