package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

const digitalOceanName, digitalOceanPrefix = "digitalocean", "digitalocean://"

// DO_ACCESS_TOKEN and DO_OVERRIDE_URL of the environment mean what they mean to DigitalOcean's own program.
func newDigitalOcean() (cloudprovider.Interface, error) {
	client := godo.NewFromToken(os.Getenv("DO_ACCESS_TOKEN"))
	if url := os.Getenv("DO_OVERRIDE_URL"); url != "" {
		if err := godo.SetBaseURL(url)(client); err != nil {
			return nil, fmt.Errorf("DO_OVERRIDE_URL: %w", err)
		}
	}
	find := func(ctx context.Context, node *v1.Node) (*server, error) {
		found, err := droplet(ctx, client, node)
		if found == nil || err != nil {
			return nil, err
		}
		return digitalOceanDescribed(found)
	}
	return &servers{digitalOceanName, find}, nil
}

func droplet(ctx context.Context, client *godo.Client, node *v1.Node) (*godo.Droplet, error) {
	if node.Spec.ProviderID == "" {
		found, _, err := client.Droplets.ListByName(ctx, node.Name, nil)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		return &found[0], nil
	}
	id, err := strconv.Atoi(strings.TrimPrefix(node.Spec.ProviderID, digitalOceanPrefix))
	if err != nil {
		return nil, fmt.Errorf("%s is no droplet: %w", node.Spec.ProviderID, err)
	}
	found, _, err := client.Droplets.Get(ctx, id)
	var refused *godo.ErrorResponse
	if errors.As(err, &refused) && refused.Response.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	return found, err
}

func digitalOceanDescribed(found *godo.Droplet) (*server, error) {
	described := server{
		id:     digitalOceanPrefix + strconv.Itoa(found.ID),
		kind:   found.SizeSlug,
		region: found.Region.Slug,
		off:    found.Status == "off",
	}
	private, err := found.PrivateIPv4()
	if err != nil || private == "" {
		return nil, fmt.Errorf("droplet %d has no private address: %w", found.ID, err)
	}
	described.addresses = append(described.addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: private})
	if public, err := found.PublicIPv4(); err == nil && public != "" {
		described.addresses = append(described.addresses, v1.NodeAddress{Type: v1.NodeExternalIP, Address: public})
	}
	return &described, nil
}
