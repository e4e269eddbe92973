# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of the same cluster in each cloud of the lab, one after the other: how long its steps take.

A control plane and some workers with flannel, from nothing to validated; a worker and the control plane are terminated
and come back; an update that changes nothing; deletion. Needs root, and no cloud of the lab may run.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import tempfile

from ansible_collections.kubeops.kops.tests.bench import lab
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import command_line
from ansible_collections.kubeops.kops.tests.lab.cloud.command_line import CONTROLLERS, SITES
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

# How long instances may take to come back, in seconds.
_LONGEST = 600


def life(site: CloudSite, workers: int) -> dict[str, float]:
    """Step -> seconds, of a cluster that is made and deleted. Raises SystemExit with the output of a run that fails."""

    def seconds_of(run: running.Run) -> float:
        if run.code:
            raise SystemExit(f"{run.output}\n{site.state()}")
        return run.seconds

    site.write({"networking": "flannel", "node_count": workers})
    taken = {"from nothing to validated": seconds_of(site.create(kops_validate_wait=_LONGEST))}
    taken["an update that changes nothing"] = seconds_of(site.run("update_cluster"))
    taken["a terminated worker is ready again"] = site.replaced(site.workers()[0], _LONGEST)
    taken["the only control plane is back"] = site.replaced(site.control_planes()[0], _LONGEST)
    taken["deleted"] = seconds_of(site.run("delete_cluster"))
    return taken


def in_cloud(cloud: str, workers: int) -> dict[str, float]:
    """The same in a cloud that is started for it, and removed."""
    command_line.up(cloud)
    try:
        with tempfile.TemporaryDirectory(prefix="kops-bench-") as directory:
            return life(SITES[cloud](pathlib.Path(directory)), workers)
    finally:
        command_line.down()


def table(measured: dict[str, dict[str, float]]) -> str:
    """A row for each step, with the ratio to the first cloud."""
    first = next(iter(measured.values()))
    widest = max(map(len, first))
    lines = [" " * widest + "".join(f"{cloud:>18}" for cloud in measured)]
    for step, reference in first.items():
        cells = (f"{taken[step]:8.1f} s ({taken[step] / reference:4.2f})" for taken in measured.values())
        lines.append(f"{step:{widest}} " + " ".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cloud", action="append", choices=[*SITES], help="only this one; can be repeated")
    parser.add_argument("--json", type=pathlib.Path, help="file for the seconds of all steps")
    options = parser.parse_args()
    if command_line.running_cloud():
        raise SystemExit("a cloud of `script/lab cloud up` is in use; `script/lab cloud down` removes it")
    chosen = options.cloud or [*SITES]
    running.prepare((lab.MINOR,), tuple(program for cloud in chosen for program in CONTROLLERS[cloud]))
    measured = {cloud: in_cloud(cloud, options.workers) for cloud in chosen}
    if options.json:
        options.json.write_text(json.dumps(measured, indent=1))
    print(table(measured))


if __name__ == "__main__":
    main()
