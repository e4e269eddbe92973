# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs of kops' command line: the pages of docs/cli in kops' repository that name no others below them."""

from __future__ import annotations

# What a group of verbs does by itself is listed without one ("kops create": with -f).
VERBS = (
    "kops completion",
    "kops create",
    "kops create cluster",
    "kops create instancegroup",
    "kops create keypair",
    "kops create secret ciliumpassword",
    "kops create secret dockerconfig",
    "kops create secret encryptionconfig",
    "kops create sshpublickey",
    "kops delete",
    "kops delete cluster",
    "kops delete instance",
    "kops delete instancegroup",
    "kops delete secret",
    "kops delete sshpublickey",
    "kops distrust keypair",
    "kops edit cluster",
    "kops edit instancegroup",
    "kops export kubeconfig",
    "kops get all",
    "kops get assets",
    "kops get clusters",
    "kops get instancegroups",
    "kops get instances",
    "kops get keypairs",
    "kops get secrets",
    "kops get sshpublickeys",
    # Its own help does not list it; kubeconfigs call it.
    "kops helpers kubectl-auth",
    "kops promote keypair",
    "kops reconcile cluster",
    "kops replace",
    "kops rolling-update cluster",
    "kops toolbox addons apply",
    "kops toolbox addons list",
    "kops toolbox clusterapi generate machinedeployment",
    "kops toolbox dump",
    "kops toolbox enroll",
    "kops toolbox instance-selector",
    "kops toolbox template",
    "kops trust keypair",
    "kops update cluster",
    "kops upgrade cluster",
    "kops validate cluster",
    "kops version",
)
