# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of AWS in which a cluster's objects are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Account:
    """What `Provider.account` gives on AWS. partition: the part of AWS that holds it, such as aws-cn."""

    id: str = ""
    partition: str = ""

    @classmethod
    def of(cls, account: object) -> Account:
        """That of a context; an empty one where nobody has asked AWS, or the cluster is in another cloud."""
        return account if isinstance(account, cls) else cls()

    def arn(self, service: str, resource: str, region: str = "") -> str:
        """The name of one of its resources. region: "" for what is in no region, as all of IAM."""
        return f"arn:{self.partition}:{service}:{region}:{self.id}:{resource}"
