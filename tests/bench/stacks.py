# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster of so many instance groups costs as stacks of CloudFormation: time, memory, bytes of its templates.

Each operation is a process of its own against an AWS account on loopback, which also does the work of CloudFormation;
its wall time is part of the operation's.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from ansible_collections.kubeops.kops.tests.bench.aws import NAME, SCRIPT, STORE, measure, store_cluster
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

_APPLY = {"target": "cloudformation", "apply": True}


def bench(groups: int) -> Iterator[dict[str, Any]]:
    """The operations, in the order of a cluster's life. templates: bytes of each."""
    with AWSServer() as server, tempfile.TemporaryDirectory(prefix="kops-bench-") as out:
        os.environ.update(server.environment, KOPS_STATE_STORE=STORE, KOPS_CLUSTER_NAME=NAME)
        server.client("s3").create_bucket(Bucket=STORE.partition("://")[2])
        store_cluster(groups)
        program = [sys.executable, str(SCRIPT)]
        apply, write = (["--options", json.dumps(each)] for each in (_APPLY, {"target": "cloudformation", "out": out}))
        commands = {
            "plan": [*program, "plan", STORE, NAME, *apply],
            "create": [*program, "update", STORE, NAME, *apply],
            "template": [*program, "update", STORE, NAME, *write],
            "unchanged": [*program, "update", STORE, NAME, *apply],
            "delete": [*program, "delete", STORE, NAME],
        }
        for operation, command in commands.items():
            figures = measure(command, server)
            sizes = {path.name: path.stat().st_size for path in sorted(pathlib.Path(out).iterdir())}
            yield {"groups": groups, "operation": operation, "templates": sizes, **figures}


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/bench stacks", description=__doc__)
    parser.add_argument("--groups", default="2,52,102", help="numbers of instance groups, separated by commas")
    parser.add_argument("--json", help="file for the results")
    arguments = parser.parse_args()
    results = []
    print(f"{'groups':>6} {'operation':<10} {'wall s':>8} {'CPU s':>8} {'peak MB':>8} {'calls':>6}  templates")
    for groups in map(int, arguments.groups.split(",")):
        for row in bench(groups):
            results.append(row)
            figures = f"{row['wall_s']:>8.1f} {row['cpu_s']:>8.1f} {row['peak_mb']:>8.0f} {row['calls']:>6}"
            sizes = ", ".join(f"{size}" for size in row["templates"].values())
            print(f"{row['groups']:>6} {row['operation']:<10} {figures}  {sizes}", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
