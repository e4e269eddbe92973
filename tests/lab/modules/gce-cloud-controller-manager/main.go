// The cloud controller manager of Google Cloud: that of k8s.io/cloud-provider, with the provider of Kubernetes 1.30.
//
// The Go module proxy has no newer one, and none of k8s.io/cloud-provider-gcp. The provider finds Compute Engine by its
// configuration only; here the environment may name it, as for gcloud.
package main

import (
	"io"
	"maps"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/wait"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"
	_ "k8s.io/legacy-cloud-providers/gce"
)

const endpoint = "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE"

func main() {
	given, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatalf("options: %v", err)
	}
	controllers := maps.Clone(app.DefaultInitFuncConstructors)
	controllers[nodeIPAM] = aliases
	command := app.NewCloudControllerManagerCommand(
		given, provider, controllers, names.CCMControllerAliases(), cliflag.NamedFlagSets{}, wait.NeverStop)
	os.Exit(cli.Run(command))
}

func provider(completed *config.CompletedConfig) cloudprovider.Interface {
	given := completed.ComponentConfig.KubeCloudShared.CloudProvider
	file, err := os.Open(given.CloudConfigFile)
	if err != nil {
		klog.Fatalf("the provider's configuration: %v", err)
	}
	defer file.Close()
	var read io.Reader = file
	if url := os.Getenv(endpoint); url != "" {
		// The file has one section, the provider's global one.
		read = io.MultiReader(file, strings.NewReader("api-endpoint = "+url+"\n"))
	}
	cloud, err := cloudprovider.GetCloudProvider(given.Name, read)
	if err != nil || cloud == nil {
		klog.Fatalf("provider %q: %v", given.Name, err)
	}
	return cloud
}
