# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.verdicts import Busy
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import identity

# For mypy: what verifiers of clouds are given.
GIVEN: type[identity.Admission] = Admission


def test_the_cloud_is_asked_only_so_often() -> None:
    admission = Admission(Rate(1, 2, lambda: 0.0), 1, 5)
    admission.ask_cloud()
    admission.ask_cloud()
    with pytest.raises(Busy, match="all addresses together"):
        admission.ask_cloud()


def test_only_so_many_callers_are_asked_at_once() -> None:
    admission = Admission(Rate(1, 1), 2, 5)
    with admission.ask_caller() as seconds, admission.ask_caller():
        assert seconds == 5
        with pytest.raises(Busy, match="callers are being asked"), admission.ask_caller():
            pytest.fail("there is no place")
    # A place is free again, also after one whose caller has not answered.
    for _time in range(3):
        with pytest.raises(TimeoutError), admission.ask_caller():
            raise TimeoutError
