package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

const hetznerName, hetznerPrefix = "hcloud", "hcloud://"

// HCLOUD_TOKEN, HCLOUD_ENDPOINT and HCLOUD_NETWORK of the environment mean what they mean to Hetzner's own program.
func newHetzner() (cloudprovider.Interface, error) {
	options := []hcloud.ClientOption{hcloud.WithToken(os.Getenv("HCLOUD_TOKEN"))}
	if url := os.Getenv("HCLOUD_ENDPOINT"); url != "" {
		options = append(options, hcloud.WithEndpoint(url))
	}
	client := hcloud.NewClient(options...)
	network, _, err := client.Network.Get(context.Background(), os.Getenv("HCLOUD_NETWORK"))
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	if network == nil {
		return nil, fmt.Errorf("there is no network %q", os.Getenv("HCLOUD_NETWORK"))
	}
	find := func(ctx context.Context, node *v1.Node) (*server, error) {
		found, err := hetznerServer(ctx, client, node)
		if found == nil || err != nil {
			return nil, err
		}
		return hetznerDescribed(found, network.ID), nil
	}
	return &servers{hetznerName, find}, nil
}

func hetznerServer(ctx context.Context, client *hcloud.Client, node *v1.Node) (*hcloud.Server, error) {
	if node.Spec.ProviderID == "" {
		found, _, err := client.Server.GetByName(ctx, node.Name)
		return found, err
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(node.Spec.ProviderID, hetznerPrefix), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is no server of Hetzner: %w", node.Spec.ProviderID, err)
	}
	found, _, err := client.Server.GetByID(ctx, id)
	return found, err
}

func hetznerDescribed(found *hcloud.Server, network int64) *server {
	described := server{
		id:     hetznerPrefix + strconv.FormatInt(found.ID, 10),
		kind:   found.ServerType.Name,
		region: found.Location.Name,
		off:    found.Status == hcloud.ServerStatusOff,
	}
	if ip := found.PublicNet.IPv4.IP; ip != nil {
		described.addresses = append(described.addresses, v1.NodeAddress{Type: v1.NodeExternalIP, Address: ip.String()})
	}
	for _, each := range found.PrivateNet {
		if each.Network.ID == network {
			described.addresses = append(described.addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: each.IP.String()})
		}
	}
	return &described
}
