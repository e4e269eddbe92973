# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What planning, applying and deleting cost at so many instance groups: wall time, CPU, memory, calls.

Each operation is a process of its own against an AWS account on loopback, whose server shares the machine; its wall
time is part of the operation's. `--through playbook` measures the playbook as a user runs it, `operation` what the
module runs without Ansible around it.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.tests.bench.groups import add_groups
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

NAME, STORE = "bench.example.com", "s3://kops-bench"
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f bench"
SCRIPT = pathlib.Path(__file__).parent.parent / "support" / "run_operation.py"


def store_cluster(groups: int) -> None:
    """A cluster with so many instance groups: minimal, highly available, or with many node groups."""
    options: dict[str, Any] = {"zones": ZONES[:1]} if groups != 6 else {"zones": ZONES, "control_plane_count": 3}
    create_cluster({"name": NAME, "state_store": STORE, "ssh_public_key": PUBLIC_KEY, **options}, check_mode=False)
    add_groups(STORE, NAME, groups)


def measure(command: list[str], server: AWSServer) -> dict[str, Any]:
    """Run a command once; whole-process figures, and the calls that the account saw meanwhile."""
    with server.recorded() as calls:
        started = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _nothing = b"", None
        if process.stdin:
            process.stdin.write(b"go\n")
            process.stdin.close()
        if process.stdout:
            output = process.stdout.read()
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - started
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{output.decode()}")
    return {
        "wall_s": wall,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
        "calls": sum(calls.values()),
        "calls_by_operation": dict(sorted(calls.items())),
    }


def commands(through: str, out: str) -> dict[str, list[str]]:
    """Operation -> the command that carries it out, in the order of a cluster's life."""
    if through == "operation":
        plan, update, delete = (
            [sys.executable, str(SCRIPT), operation, STORE, NAME] for operation in ("plan", "update", "delete")
        )
        terraform = [*update, out]
    else:
        playbook = str(pathlib.Path(sys.executable).parent / "ansible-playbook")
        update, delete = ([playbook, f"kubeops.kops.{operation}_cluster"] for operation in ("update", "delete"))
        plan = [*update, "--check"]
        terraform = [*update, "-e", "kops_target=terraform", "-e", f"kops_out={out}"]
    return {"plan": plan, "create": update, "unchanged": update, "terraform": terraform, "delete": delete}


def bench(groups: int, runs: int, through: str) -> list[dict[str, Any]]:
    """The medians of the operations; each run in an account of its own."""
    results: dict[str, list[dict[str, Any]]] = {}
    for _run in range(runs):
        out = tempfile.mkdtemp(prefix="kops-bench-")
        with AWSServer() as server:
            os.environ.update(server.environment, KOPS_STATE_STORE=STORE, KOPS_CLUSTER_NAME=NAME)
            server.client("s3").create_bucket(Bucket=STORE.partition("://")[2])
            store_cluster(groups)
            for operation, command in commands(through, out).items():
                results.setdefault(operation, []).append(measure(command, server))
        shutil.rmtree(out)
    return [
        {
            "groups": groups,
            "operation": operation,
            **{key: round(statistics.median(each[key] for each in measured), 2) for key in ("wall_s", "cpu_s")},
            "peak_mb": round(statistics.median(each["peak_mb"] for each in measured)),
            "calls": max(each["calls"] for each in measured),
            "calls_by_operation": measured[-1]["calls_by_operation"],
        }
        for operation, measured in results.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/bench aws", description=__doc__)
    parser.add_argument("--groups", default="2,6,52,102", help="numbers of instance groups, separated by commas")
    parser.add_argument("--json", help="file for the results")
    parser.add_argument("--runs", type=int, default=3, help="runs of each; the medians are given")
    parser.add_argument("--through", choices=["operation", "playbook"], default="operation")
    arguments = parser.parse_args()
    results = []
    print(f"{'groups':>6} {'operation':<10} {'wall s':>8} {'CPU s':>8} {'peak MB':>8} {'calls':>6}")
    for groups in map(int, arguments.groups.split(",")):
        for row in bench(groups, arguments.runs, arguments.through):
            results.append(row)
            figures = f"{row['wall_s']:>8} {row['cpu_s']:>8} {row['peak_mb']:>8} {row['calls']:>6}"
            print(f"{row['groups']:>6} {row['operation']:<10} {figures}", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
