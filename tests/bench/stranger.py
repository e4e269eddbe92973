# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a stranger needs from the tarball to a first cluster, and to a job as AWX runs it.

All of it happens in an empty directory with a Python environment of its own: it has what README.md says to install, and
the tarball. Nothing comes from the checkout but the tarball and the AWS account, which is moto's server.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.release import tarball as tarballs
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.programs import run

CLUSTER, BUCKET = "first.example.com", "kops-state"
# README.md, Requirements. The last one is AWX' own way to run jobs.
PACKAGES = ("ansible-core>=2.17", "boto3", "cryptography", "PyYAML", "ansible-runner")
NEEDED_OF_HERE = ("HOME", "LANG", "TMPDIR", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "SSL_CERT_FILE")


class Stranger:
    """Somebody with an empty directory. steps: title -> seconds."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        self.programs = directory / "venv" / "bin"
        self.environment: dict[str, str] = {}
        self.steps: dict[str, float] = {}

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Print how long it takes."""
        started = time.monotonic()
        yield
        self.steps[title] = round(time.monotonic() - started, 1)
        print(f"{self.steps[title]:7.1f} s  {title}", flush=True)

    def do(self, program: str, *arguments: str) -> str:
        """Run a program of the environment; what it prints."""
        return run(str(self.programs / program), *arguments, cwd=self.directory, **self.environment)

    def play(self, name: str, *arguments: str) -> str:
        """Run a playbook of the collection."""
        return self.do("ansible-playbook", f"{tarballs.NAME}.{name}", *arguments)


def install(stranger: Stranger, tarball: pathlib.Path) -> None:
    """Ansible with its libraries, then the collection."""
    with stranger.step("install Ansible and the libraries (README.md, Requirements)"):
        run(sys.executable, "-m", "venv", str(stranger.programs.parent), cwd=stranger.directory)
        stranger.do("pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES)
    with stranger.step("install the tarball"):
        stranger.environment.update(tarballs.install(tarball, stranger.directory / "collections", stranger.programs))


def read(stranger: Stranger) -> None:
    """What there is, and one module."""
    with stranger.step("list the modules, read about one of them"):
        assert "update_cluster" in stranger.do("ansible-doc", "--list", tarballs.NAME)
        assert "plan_id" in stranger.do("ansible-doc", f"{tarballs.NAME}.update_cluster")


def first_cluster(stranger: Stranger) -> None:
    """A cluster from the plan to a second run that changes nothing."""
    wanted = ("-e", "kops_zones=us-east-1a,us-east-1b,us-east-1c", "-e", "kops_control_plane_count=3")
    with stranger.step("plan a highly available cluster (create_cluster --check)"):
        assert "Plan " in stranger.play("create_cluster", "--check", *wanted)
    with stranger.step("create it: all objects in the cloud"):
        assert "AutoscalingGroup" in stranger.play("create_cluster", *wanted, "-e", "kops_validate_wait=0")
    with stranger.step("a second run, which changes nothing (update_cluster)"):
        assert "changed=0" in stranger.play("update_cluster")


def jobs(stranger: Stranger) -> None:
    """A plan and its apply as jobs of ansible-runner, which hands on the plan's id as AWX does."""
    private = stranger.directory / "job"
    (private / "project").mkdir(parents=True)
    text = f"---\n- name: Of the collection\n  import_playbook: {tarballs.NAME}.update_cluster\n"
    (private / "project" / "update_cluster.yml").write_text(text)
    (private / "env").mkdir()
    (private / "inventory").mkdir()
    (private / "inventory" / "hosts").write_text("")
    group = stranger.play("get").split("name: nodes-", 1)[1].split()[0]
    stranger.play("edit", "-e", f"kops_groups=nodes-{group}", "-e", "kops_set=spec.maxSize=4")
    with stranger.step("a job that plans a change (ansible-runner)"):
        planned = _job(stranger, private, "plan", "--check")
    with stranger.step("a job that applies exactly this plan"):
        applied = _job(stranger, private, "apply", plan_id=str(planned["kops_plan_id"]))
    assert applied["kops_plan_id"] == planned["kops_plan_id"]
    assert (planned["kops_plan_summary"], applied["kops_plan_summary"]) != ({}, {})


def _job(stranger: Stranger, private: pathlib.Path, name: str, *options: str, plan_id: str = "") -> dict[str, object]:
    """The artifacts of a job."""
    # AWX gives unanswered questions as empty texts.
    variables = {"kops_cluster_name": CLUSTER, "kops_plan_id": plan_id, "kops_instance_groups": ""}
    (private / "env" / "extravars").write_text(json.dumps(variables))
    (private / "env" / "cmdline").write_text(" ".join(options))
    stranger.do("ansible-runner", "run", str(private), "-p", "update_cluster.yml", "--ident", name, "--quiet")
    events = [json.loads(path.read_text()) for path in (private / "artifacts" / name / "job_events").glob("*-*.json")]
    (end,) = (event for event in events if event["event"] == "playbook_on_stats")
    found: dict[str, object] = end["event_data"]["artifact_data"]
    return found


def delete(stranger: Stranger) -> None:
    """Nothing is left."""
    with stranger.step("delete the cluster"):
        stranger.play("delete_cluster")


PATH: tuple[Callable[[Stranger], None], ...] = (read, first_cluster, jobs, delete)


def main() -> None:
    """Go the path, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, help="a file for the figures")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, AWSServer() as server:
        directory = pathlib.Path(place)
        tarball = tarballs.build(tarballs.copy_of(ROOT, directory / "source"), directory)
        server.client("s3").create_bucket(Bucket=BUCKET)
        # Whatever else is set here, a stranger does not have.
        kept = {name: os.environ[name] for name in NEEDED_OF_HERE if name in os.environ}
        path = os.environ["PATH"]
        os.environ.clear()
        os.environ.update(kept, PATH=path)
        stranger = Stranger(directory / "home")
        stranger.directory.mkdir()
        stranger.environment.update(
            server.environment,
            KOPS_STATE_STORE=f"s3://{BUCKET}",
            KOPS_CLUSTER_NAME=CLUSTER,
            KUBECONFIG=str(directory / "kubeconfig"),
        )
        with stranger.step("all of it"):
            install(stranger, tarball)
            for part in PATH:
                part(stranger)
    if given.json:
        given.json.write_text(json.dumps(stranger.steps, indent=2) + "\n")


if __name__ == "__main__":
    main()
