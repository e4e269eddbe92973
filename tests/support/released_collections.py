# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single collections out of the release of Ansible that contains them; the rest of it is not unpacked.

As a program: released_collections.py TARGET COLLECTION..., which script/setup calls.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import zipfile

REQUIREMENTS = pathlib.Path(__file__).resolve().parents[2] / "requirements" / "collections.txt"


def unpack(target: pathlib.Path, *collections: str) -> None:
    """Unpack collections ("awx.awx") into a directory of ANSIBLE_COLLECTIONS_PATH."""
    folders = tuple(f"ansible_collections/{name.replace('.', '/')}/" for name in collections)
    with tempfile.TemporaryDirectory() as directory:
        options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--dest", directory)
        command = (sys.executable, "-m", "pip", "download", *options, "--requirement", str(REQUIREMENTS))
        subprocess.run(command, check=True)
        (wheel,) = pathlib.Path(directory).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target, [name for name in archive.namelist() if name.startswith(folders)])


if __name__ == "__main__":
    unpack(pathlib.Path(sys.argv[1]), *sys.argv[2:])
