# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a cluster is in its cloud."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where the objects of a cluster are: all that a client needs beside credentials and the cluster's name.

    The provider makes it of a specification, and opens a client with it; in between, nobody asks what is in it.
    Each field is named as the option by which users give it; "" is what a cloud does not have, or what its environment
    says.

    region: name of a region. project: id of the project that owns the objects.
    store: no option: the URL of the cluster's directory in the state store, where a cloud keeps what it has no objects
    for. Without it, nothing is known of that.
    """

    region: str = ""
    project: str = ""
    store: str = ""
