// What kubernetes-csi/node-driver-registrar does: it tells the kubelet about the CSI driver beside it.
//
// Its source cannot be had as a Go module.
package main

import (
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/klog/v2"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// Where the kubelet looks for plugins, in the container.
const directory = "/registration"

type server struct {
	registration.UnimplementedRegistrationServer
	name, endpoint string
}

func (own *server) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type: registration.CSIPlugin, Name: own.name, Endpoint: own.endpoint, SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (own *server) NotifyRegistrationStatus(
	_ context.Context, status *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	if !status.PluginRegistered {
		klog.Exitf("the kubelet refuses %s: %s", own.name, status.Error)
	}
	klog.Infof("the kubelet knows %s", own.name)
	return &registration.RegistrationStatusResponse{}, nil
}

func main() {
	klog.InitFlags(nil)
	address := flag.String("csi-address", "/run/csi/socket", "socket of the driver, in this container")
	endpoint := flag.String("kubelet-registration-path", "", "socket of the driver, on the node")
	flag.Parse()

	name := nameOf(*address)
	socket := filepath.Join(directory, name+"-reg.sock")
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		klog.Fatalf("%v", err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		klog.Fatalf("%v", err)
	}
	serving := grpc.NewServer()
	registration.RegisterRegistrationServer(serving, &server{name: name, endpoint: *endpoint})
	klog.Fatalf("%v", serving.Serve(listener))
}

func nameOf(address string) string {
	connection, err := grpc.NewClient("unix:"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		klog.Fatalf("%v", err)
	}
	defer connection.Close()
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	found, err := csi.NewIdentityClient(connection).GetPluginInfo(
		limited, &csi.GetPluginInfoRequest{}, grpc.WaitForReady(true))
	if err != nil {
		klog.Fatalf("the driver at %s: %v", address, err)
	}
	return found.Name
}
