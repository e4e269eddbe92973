# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import base64
import gzip

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import UserData
from ansible_collections.kubeops.kops.plugins.module_utils.model.bootstrap_script import (
    _COMPRESSED_BOOT_FILE,
    _PLAIN_BOOT_FILE,
    _SCRIPT,
    multipart,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.old_node_files import hashes_in

PROGRAM, CONFIG = "a" * 64, "0b" * 32
BOOT = f'{{"program": {{"sha256": "{PROGRAM}"}}, "nodeConfigs": {{"amd64": {{"location": "x/{CONFIG}.json"}}}}}}'


def compressed(text: str) -> str:
    packed = base64.b64encode(gzip.compress(text.encode())).decode()
    return _COMPRESSED_BOOT_FILE.format(text=packed, late=" | sed 's/@@x@@/${x}/'")


@pytest.mark.parametrize(
    # Names, as compressed bytes hold the time: several processes must collect the same tests.
    "boot_file",
    [_PLAIN_BOOT_FILE.format(text=BOOT), compressed(BOOT)],
    ids=["plain", "compressed"],
)
@pytest.mark.parametrize("parts", [False, True])
def test_user_data_names_files_in_each_of_its_forms(boot_file: str, parts: bool) -> None:
    script = _SCRIPT.format(boot_file=boot_file, rest="")
    if parts:
        other = UserData(name="other.sh", type="text/x-shellscript", content="echo")
        script = multipart([other, UserData(name="nodeup.sh", type="text/x-shellscript", content=script), other])
    assert hashes_in(script) == {PROGRAM, CONFIG}


def test_what_cannot_be_read_names_what_is_readable_of_it() -> None:
    assert hashes_in("") == set()
    assert hashes_in(_COMPRESSED_BOOT_FILE.format(text="AAAA", late="") + f"\n# {CONFIG}") == {CONFIG}
