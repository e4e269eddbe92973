module kubeops.kops/lab/livenessprobe

go 1.25.0
