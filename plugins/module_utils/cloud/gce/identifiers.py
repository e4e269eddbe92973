# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of objects of Google Cloud, in manifests and in its API."""

from __future__ import annotations

from ...base.errors import KopsError

COMPUTE = "https://www.googleapis.com/compute/v1"
ACCOUNT_DOMAIN = ".iam.gserviceaccount.com"


def split_network_id(network_id: str) -> tuple[str, str]:
    """(project, name) of spec.networking.networkID: "<name>", whose project is "", or "<project>/<name>" (shared VPC).

    Raises KopsError for anything else.
    """
    project, slash, name = network_id.rpartition("/")
    if not name or "/" in project or (slash and not project):
        raise KopsError(f"spec.networking.networkID: {network_id!r} is neither <network> nor <project>/<network>")
    return project, name


def image_url(image: str, project: str) -> str:
    """The URL of "<project>/<image>", or of "<image>" in the cluster's own project; KopsError for anything else."""
    parts = image.split("/")
    if len(parts) > 2 or not all(parts):
        raise KopsError(f"spec.image: {image!r} is neither <image> nor <project>/<image>")
    return f"{COMPUTE}/projects/{parts[0] if len(parts) == 2 else project}/global/images/{parts[-1]}"


def account_email(account_id: str, project: str) -> str:
    """The address of a service account of a project."""
    return f"{account_id}@{project}{ACCOUNT_DOMAIN}"


def split_account_email(email: str) -> tuple[str, str]:
    """(account id, project) of a service account's address; KopsError for one that is not of that form."""
    account_id, _at, domain = email.partition("@")
    project = domain[: -len(ACCOUNT_DOMAIN)] if domain.endswith(ACCOUNT_DOMAIN) else ""
    if not account_id or not project:
        raise KopsError(f"{email!r} is not the address of a service account (<account>@<project>{ACCOUNT_DOMAIN})")
    return account_id, project


def last_component(url: str) -> str:
    """The name at the end of a URL."""
    return url.rpartition("/")[2]


def url_of(path: str) -> str:
    """The URL of an object by its path, with its project: what objects of Compute Engine refer to each other by."""
    return f"{COMPUTE}/projects/{path}"


def path_of(url: str) -> str:
    """Path of an object, with its project, in a URL: "my-project/global/networks/a"; "" for anything else."""
    return url.partition("/projects/")[2] if url.startswith(("https://", "http://")) else ""
