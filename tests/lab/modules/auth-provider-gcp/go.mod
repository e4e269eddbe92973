module kubeops.kops/lab/auth-provider-gcp

go 1.26.0
