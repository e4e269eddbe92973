# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters at Hetzner and on DigitalOcean whose infrastructure is Terraform's, made by the clouds' own providers.

The providers are in no registry of modules: the tests look for them where Terraform does (tests/support/terraform.py).
Neither Terraform nor a direct update finds anything to change in what the other one has made.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import DIGITALOCEAN, HETZNER
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import IMPORTS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import CONFIGURATION
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    UpdateResult,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.support.digitalocean import account, whole_clusters
from ansible_collections.kubeops.kops.tests.support.digitalocean import catalog as digitalocean_catalog
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as at_hetzner
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.rest_server import Call
from ansible_collections.kubeops.kops.tests.support.terraform import Terraform, plugins

NAME, DOMAIN = "demo.example.net", "example.net"
WANTED = {
    "name": NAME,
    "node_count": 2,
    "ssh_public_key": at_hetzner.KEY,
    "networking": "cilium",
    "kubernetes_version": "1.34.4",
}
# What an update makes of which Terraform knows nothing.
OF_SERVERS = {"Server", "Droplet", "ServerTemplate", "ManagedFile", "ConfidentialFile"}


@dataclass(frozen=True)
class Site:
    """A cloud on loopback. environment: names it. wanted: of the cluster. names: of objects but servers and tags."""

    provider: str
    environment: Mapping[str, str]
    wanted: Mapping[str, Any]
    names: Callable[[], list[str]]


def _hetzner(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with HetznerServer() as server:
        at_hetzner.environment(monkeypatch, server)
        monkeypatch.setenv("S3_ENDPOINT", "https://fsn1.your-objectstorage.com")
        # Of several control planes, which are in a placement group.
        wanted = {"cloud": "hetzner", "zones": ["fsn1"], "network_cidr": ["10.0.0.0/16"], "control_plane_count": 3}

        def names() -> list[str]:
            return [each for each in server.names() if not each.startswith("servers ")]

        yield Site(PROVIDERS[HETZNER].source, server.environment, wanted, names)


def _digitalocean(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with whole_clusters.account_on_loopback(monkeypatch) as (server, _handed):
        own = server.api
        assert isinstance(own, account.Account)
        own.answer(Call("POST", "/v2/domains", (), {"name": DOMAIN}, {"Authorization": f"Bearer {account.TOKEN}"}))
        names_and_balancer = {"dns": "public", "api_loadbalancer_type": "public", "api_public_name": f"k8s.{DOMAIN}"}
        place = {"zones": [digitalocean_catalog.REGION], "network_cidr": ["10.20.0.0/16"]}

        def names() -> list[str]:
            return sorted(str(each) for each in own.everything() if not str(each).startswith(("droplet", "tag")))

        wanted = {"cloud": "digitalocean", **place, **names_and_balancer}
        yield Site(PROVIDERS[DIGITALOCEAN].source, account.environment(server), wanted, names)


SITES = {HETZNER: _hetzner, DIGITALOCEAN: _digitalocean}


@pytest.fixture(params=[HETZNER, DIGITALOCEAN], ids=lambda cloud: str(cloud.name))
def site(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    source = PROVIDERS[request.param].source
    if plugins(source) is None:
        pytest.skip(f"there is no provider {source} on this machine; KOPS_TERRAFORM_PLUGINS can name a mirror")
    yield from SITES[request.param](monkeypatch)


@pytest.fixture
def store(tmp_path: pathlib.Path) -> str:
    return f"memfs://{tmp_path.name}"


@pytest.fixture
def terraform(site: Site, tmp_path: pathlib.Path) -> Terraform:
    return Terraform(tmp_path / "terraform", site.environment, site.provider)


def update(store: str, out: pathlib.Path | None = None, *, check: bool = False) -> UpdateResult:
    """Update directly, or for Terraform to a directory."""
    more: dict[str, Any] = {"target": "terraform", "out": str(out)} if out else {}
    return update_cluster(UpdateOptions(store, NAME, **more), check=check)


def changed(result: UpdateResult) -> set[str]:
    """What a plan changes of kinds that Terraform makes."""
    return {step.task.key for step in result.plan.active() if step.task.kind not in OF_SERVERS}


def test_terraform_makes_what_stays_and_an_update_the_servers(
    site: Site, terraform: Terraform, store: str, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    before = site.names()
    create_cluster({**WANTED, **site.wanted, "state_store": store}, check_mode=False)
    assert update(store, out, check=True).files == [CONFIGURATION]
    assert not out.exists()
    assert update(store, out).files == [CONFIGURATION]
    assert not update(store, out).changed
    assert site.names() == before
    terraform.init(out)
    assert terraform.validate(out) == []
    terraform.apply(out)
    assert terraform.plan(out) == {}
    made = site.names()
    planned = update(store, check=True)
    assert changed(planned) == set()
    assert planned.plan.deletions == []
    update(store)
    assert site.names() == made
    assert terraform.plan(out) == {}
    for again in (update(store), update(store, out)):
        assert not again.changed
    delete_cluster(DeleteOptions(store, NAME))
    assert site.names() == before


def test_a_cluster_that_was_made_directly_is_imported(
    site: Site, terraform: Terraform, store: str, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    create_cluster({**WANTED, **site.wanted, "state_store": store}, check_mode=False)
    update(store)
    made = site.names()
    assert update(store, out).files == [IMPORTS, CONFIGURATION]
    number = (out / IMPORTS).read_text().count("import {")
    assert number == (out / CONFIGURATION).read_text().count("\nresource ")
    terraform.init(out)
    said = terraform.apply(out)
    assert f"Apply complete! Resources: {number} imported, 0 added, 0 changed, 0 destroyed." in said
    assert terraform.plan(out) == {}
    assert site.names() == made
    assert not update(store).changed


def test_when_the_state_is_lost_it_is_begun_anew(
    site: Site, terraform: Terraform, store: str, tmp_path: pathlib.Path
) -> None:
    """As docs/terraform.md says: what is there is imported, and what is not is made."""
    out = tmp_path / "out"
    before = site.names()
    create_cluster({**WANTED, **site.wanted, "state_store": store}, check_mode=False)
    update(store, out)
    terraform.init(out)
    terraform.apply(out)
    made = site.names()
    (out / "terraform.tfstate").unlink()
    (out / CONFIGURATION).unlink()
    assert update(store, out).files == [IMPORTS, CONFIGURATION]
    assert " 0 added, 0 changed, 0 destroyed." in terraform.apply(out)
    assert terraform.plan(out) == {}
    assert site.names() == made
    assert changed(update(store, check=True)) == set()
    delete_cluster(DeleteOptions(store, NAME))
    assert site.names() == before
