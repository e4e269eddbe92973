# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make docs/images/terminal.svg: a cluster is changed, and then deleted, as a terminal shows it.

The commands run in a terminal, in an account of AWS on loopback. The picture is what the terminal shows while the last
one still runs, so that its line of progress is seen.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from rich.console import Console
from rich.text import Text

FILE = ROOT / "docs" / "images" / "terminal.svg"
COLUMNS = 110
_STORE, _NAME = "s3://example-kops-state", "demo.example.com"
_CLEAR = "\r\x1b[K"
# How far the deletion is in the picture.
_HALF = re.compile(r"\[3\d/\d+\] deleted .* \d+ s$")
_BEFORE = (
    "create_cluster -e kops_zones=us-east-1a,us-east-1b,us-east-1c",
    "edit -e kops_groups=nodes-us-east-1a -e kops_set=spec.machineType=m6i.large,spec.maxSize=4",
)
_SHOWN = ("update_cluster --check", "update_cluster")
_LAST = "delete_cluster"
# Without fonts of the network, which pages and viewers of pictures do not load.
_FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def shown_by(command: str, environment: dict[str, str], *, until: re.Pattern[str] | None = None) -> str:
    """What a terminal has shown of a playbook of the collection: at its end, or as soon as its last line matches."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    words = ["ansible-playbook", *f"kubeops.kops.{command}".split()]
    found = ""
    with subprocess.Popen(words, env=environment, stdout=theirs, stderr=theirs) as run:
        os.close(theirs)
        # Linux ends the reading by an error once the other end is closed.
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 4096):
                found += chunk.decode()
                if until and until.search(found.rpartition(_CLEAR)[2]):
                    break
        if until:
            # The account ends as well.
            run.kill()
        elif run.wait():
            raise SystemExit(f"{command} has failed:\n{found}")
    os.close(ours)
    lines = found.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition(_CLEAR)[2] for line in lines).rstrip("\n")


def picture(screen: str) -> str:
    """The screen as SVG."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(screen), soft_wrap=True)
        return console.export_svg(
            title="ANSIBLE_STDOUT_CALLBACK=kubeops.kops.quiet", code_format=_FRAME, unique_id="kops"
        )


def main() -> int:
    """Write the picture."""
    with AWSServer() as server, tempfile.TemporaryDirectory() as made:
        environment = {
            **os.environ,
            **server.environment,
            "ANSIBLE_STDOUT_CALLBACK": "kubeops.kops.quiet",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "KOPS_STATE_STORE": _STORE,
            "KOPS_CLUSTER_NAME": _NAME,
            "KUBECONFIG": str(pathlib.Path(made) / "kubeconfig"),
            "TERM": "xterm-256color",
        }
        store = server.client("s3")
        bucket = _STORE.removeprefix("s3://")
        store.create_bucket(Bucket=bucket)
        store.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        for command in _BEFORE:
            shown_by(command, environment)
        screens = [(command, shown_by(command, environment)) for command in _SHOWN]
        screens.append((_LAST, shown_by(_LAST, environment, until=_HALF)))
    told = [f"\x1b[1m$ ansible-playbook kubeops.kops.{command}\x1b[0m\n{screen}" for command, screen in screens]
    FILE.write_text(picture("\n\n".join(told)), encoding="utf-8")
    print(f"wrote {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
