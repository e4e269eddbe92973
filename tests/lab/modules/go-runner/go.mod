module kubeops.kops/lab/go-runner

go 1.26.0
