# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of S3 that control planes are given: in clusters of which any part of the state store is there."""

from __future__ import annotations

from collections.abc import Iterator

from ...base.errors import FieldError, KopsError
from ...cloud.openstack.store_keys import fingerprint_of, key_of_environment, untold_endpoint
from ..context import ModelContext
from ..node.program.stores import places_of


def problems(context: ModelContext) -> Iterator[FieldError]:
    """Why control planes that are updated could not read it by the key of this environment."""
    place = _first_place(context)
    if place is None or not context.updates_api_servers:
        return
    path, url = place
    try:
        key_of_environment()
    except KopsError as error:
        yield FieldError("Forbidden", path, str(error), url)
    variable = untold_endpoint()
    if variable:
        message = f"control planes would ask Amazon's S3: give the service by S3_ENDPOINT, not by {variable}"
        yield FieldError("Forbidden", path, message, url)


def fingerprint(context: ModelContext) -> str | None:
    """Of the key, as templates of servers have it; None if control planes need none, or if it has problems."""
    if _first_place(context) is None or any(problems(context)):
        return None
    return fingerprint_of(key_of_environment(), context.name)


def _first_place(context: ModelContext) -> tuple[str, str] | None:
    """A field and its URL in S3."""
    found = (place for place in places_of(context.cluster) if place[1].startswith("s3://"))
    return next(found, None)
