# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the collection with one more cloud, which shows what it takes to add one (CONTRIBUTING.md).

The cloud has the name of Linode, of which the collection has the specification only. Its own folders are in
stub_cloud/, and its service is in stub_api.py. ROWS and NAMES are all that it changes elsewhere.
"""

from __future__ import annotations

import pathlib
import shutil

from ansible_collections.kubeops.kops.tests.conftest import ROOT

OWN = pathlib.Path(__file__).with_name("stub_cloud")
NAME = "linode"
# File below plugins/module_utils/ -> a text in it, and what is there instead.
ROWS: dict[str, list[tuple[str, str]]] = {
    "api/clouds.py": [
        (
            "from ..base.instance_ids import EC2, InstanceIds\n",
            "from ..base.instance_ids import EC2, InstanceIds\nfrom ..base.linode_instance_ids import STUB\n",
        ),
        (
            '    title="Linode",\n    store_scheme="linode",\n    store_endpoint="https://REGION.linodeobjects.com",\n',
            '    title="Linode",\n    store_scheme="s3",\n    nodes_read_store=True,\n    starts_nodes=True,\n'
            "    etcd_on_disks=True,\n    instance_ids=STUB,\n",
        ),
    ],
    "operations/clouds.py": [
        (
            "\n\nclass _Metal(Row):",
            "\n\nclass _Stub(Row):\n"
            "    def provider(self) -> Provider[Any]:\n"
            "        from ..cloud.linode.provider import StubProvider\n\n"
            "        return StubProvider()\n\n"
            "    def builders(self) -> Builders:\n"
            "        from ..model.linode import builders\n\n"
            "        return builders\n\n\n"
            "class _Metal(Row):",
        ),
        ("    METAL.name: _Metal(),\n", f'    METAL.name: _Metal(),\n    "{NAME}": _Stub(),\n'),
    ],
}
# A file of its own, as the programs of other clouds hold what is in base/instance_ids.py.
NAMES = {
    "base/linode_instance_ids.py": """from __future__ import annotations

import re

from .instance_ids import InstanceIds

STUB = InstanceIds(re.compile(r"stub-[0-9]+"), provider_id_form="stub://{zone}/{instance}")
"""
}


def with_stub(directory: pathlib.Path) -> pathlib.Path:
    """Make the copy in a directory. Returns the path of collections that has it, for ANSIBLE_COLLECTIONS_PATH."""
    copy = directory / "ansible_collections" / "kubeops" / "kops"
    copy.mkdir(parents=True)
    for each in ROOT.iterdir():
        if each.name in ("plugins", "tests"):
            shutil.copytree(each, copy / each.name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        elif not each.name.startswith(".") and each.name != "requirements":
            (copy / each.name).symlink_to(each)
    code = copy / "plugins" / "module_utils"
    for room in OWN.iterdir():
        if room.is_dir():
            shutil.copytree(room, code / room.name, dirs_exist_ok=True)
    for name, content in NAMES.items():
        (code / name).write_text(content)
    for name, rows in ROWS.items():
        text = (code / name).read_text()
        for before, after in rows:
            if text.count(before) != 1:
                raise AssertionError(f"{name} has {text.count(before)} times, and not once: {before!r}")
            text = text.replace(before, after)
        (code / name).write_text(text)
    return directory
