module kubeops.kops/lab/csi-node-driver-registrar

go 1.26.0

require (
	github.com/container-storage-interface/spec v1.12.0
	google.golang.org/grpc v1.72.2
	k8s.io/klog/v2 v2.140.0
	k8s.io/kubelet v0.34.4
)

require (
	github.com/go-logr/logr v1.4.2 // indirect
	golang.org/x/net v0.38.0 // indirect
	golang.org/x/sys v0.31.0 // indirect
	golang.org/x/text v0.23.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250303144028-a0af3efb3deb // indirect
	google.golang.org/protobuf v1.36.5 // indirect
)
