# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SSH public key of a new cluster."""

from __future__ import annotations

import os

from ...api.clouds import CLOUDS
from ...base.errors import KopsError
from ...base.files import read_text, text_or_file
from .draft import refuse
from .options import CreateOptions

_USUAL_FILES = ("~/.ssh/id_ed25519.pub", "~/.ssh/id_rsa.pub")


def ssh_public_keys(options: CreateOptions) -> list[str]:
    """The key, as text in OpenSSH's form: the one that was named, as a file or as the text itself; else the user's.

    The user's is only taken on clouds that need one.
    Raises ValidationError when the file that was named cannot be read, and KopsError for the user's.
    """
    named = options.ssh_public_key
    if named:
        try:
            # A key in OpenSSH's form is at least a type and a value.
            return [text_or_file(named).strip()]
        except KopsError as error:
            raise refuse("ssh_public_key", str(error), kind="NotFound") from error
    if not CLOUDS[options.cloud].needs_ssh_key:
        return []
    for file in map(os.path.expanduser, _USUAL_FILES):
        if os.path.exists(file):
            return [read_text(file).strip()]
    return []
