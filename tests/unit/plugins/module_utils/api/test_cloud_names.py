# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a cloud accepts."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud_names import truncate


def test_a_name_that_fits_is_left_alone() -> None:
    assert truncate("short", 5) == "short"


def test_a_name_that_has_to_differ_gets_its_hash_although_it_fits() -> None:
    # Computed by kops' truncate.TruncateString with MaxLength 32 and AlwaysAddHash.
    assert truncate("api-complex-example-com", 32, always_hash=True) == "api-complex-example-com-vd3t5n"


def test_long_names_keep_their_length_and_stay_apart() -> None:
    first, second = (truncate("a" * 40 + end, 32) for end in "xy")
    assert len(first) == len(second) == 32
    assert first != second
