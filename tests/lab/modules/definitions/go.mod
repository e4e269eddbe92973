module kubeops.kops/lab/definitions

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.19.5
	github.com/kubernetes-csi/external-snapshotter/client/v6 v6.0.1
	go.universe.tf/metallb v0.16.1
)
