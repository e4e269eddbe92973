# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this collection knows of a virtual machine beside names.py: its origin and its credentials.

All of it is extra configuration that is not guestinfo.*: guests can neither read nor write it.
"""

from __future__ import annotations

# By which its nonce is known, and which credentials it has been given (pools/over_ssh.py).
BIRTH, CREDENTIALS, HOST_KEY = "kubeops.birth", "kubeops.credentials", "kubeops.host-key"
# When it was made, in seconds since 1970; and, until it has been started, that it is being made.
MADE, MAKING = "kubeops.made", "kubeops.making"
# What its guest reads: cloud-init with the data source VMware.
METADATA, USER_DATA = "guestinfo.metadata", "guestinfo.userdata"
ENCODING = ".encoding"
