// The cloud controller manager of clouds that are a list of servers: that of k8s.io/cloud-provider, with providers that
// know servers by the cloud's own library.
//
// The Go module proxy has no hcloud-cloud-controller-manager and no digitalocean-cloud-controller-manager. Nodes get from
// this one what they get from those: the provider's id, addresses, and an end when their server is gone. It makes no load
// balancers and no routes.
package main

import (
	"context"
	"io"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"
)

// Of DigitalOcean the program is started without --cloud-provider.
const usual = digitalOceanName

func main() {
	cloudprovider.RegisterCloudProvider(hetznerName, func(io.Reader) (cloudprovider.Interface, error) { return newHetzner() })
	cloudprovider.RegisterCloudProvider(digitalOceanName, func(io.Reader) (cloudprovider.Interface, error) { return newDigitalOcean() })
	given, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatalf("options: %v", err)
	}
	given.KubeCloudShared.CloudProvider.Name = usual
	// Nobody asks it for metrics, and kops lets none of them read how API servers know each other.
	given.Authentication.SkipInClusterLookup = true
	command := app.NewCloudControllerManagerCommand(
		given, provider, app.DefaultInitFuncConstructors, names.CCMControllerAliases(), cliflag.NamedFlagSets{}, wait.NeverStop)
	os.Exit(cli.Run(command))
}

func provider(completed *config.CompletedConfig) cloudprovider.Interface {
	name := completed.ComponentConfig.KubeCloudShared.CloudProvider.Name
	found, err := cloudprovider.GetCloudProvider(name, nil)
	if err != nil || found == nil {
		klog.Fatalf("provider %q: %v", name, err)
	}
	return found
}

// A server, as far as a node needs it.
type server struct {
	id, kind, zone, region string
	off                    bool
	addresses              []v1.NodeAddress
}

// What a provider looks a server up by; nil if there is none.
type lookup func(ctx context.Context, node *v1.Node) (*server, error)

// A cloud whose servers are all that it has.
type servers struct {
	name string
	find lookup
}

func (cloud *servers) InstanceExists(ctx context.Context, node *v1.Node) (bool, error) {
	found, err := cloud.find(ctx, node)
	return found != nil, err
}

func (cloud *servers) InstanceShutdown(ctx context.Context, node *v1.Node) (bool, error) {
	found, err := cloud.find(ctx, node)
	return found != nil && found.off, err
}

func (cloud *servers) InstanceMetadata(ctx context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	found, err := cloud.find(ctx, node)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, cloudprovider.InstanceNotFound
	}
	return &cloudprovider.InstanceMetadata{
		ProviderID: found.id, InstanceType: found.kind, Zone: found.zone, Region: found.region,
		NodeAddresses: append([]v1.NodeAddress{{Type: v1.NodeHostName, Address: node.Name}}, found.addresses...),
	}, nil
}

func (cloud *servers) Initialize(cloudprovider.ControllerClientBuilder, <-chan struct{}) {}
func (cloud *servers) LoadBalancer() (cloudprovider.LoadBalancer, bool)                  { return nil, false }
func (cloud *servers) Instances() (cloudprovider.Instances, bool)                        { return nil, false }
func (cloud *servers) InstancesV2() (cloudprovider.InstancesV2, bool)                    { return cloud, true }
func (cloud *servers) Zones() (cloudprovider.Zones, bool)                                { return nil, false }
func (cloud *servers) Clusters() (cloudprovider.Clusters, bool)                          { return nil, false }
func (cloud *servers) Routes() (cloudprovider.Routes, bool)                              { return nil, false }
func (cloud *servers) ProviderName() string                                              { return cloud.name }
func (cloud *servers) HasClusterID() bool                                                { return true }
