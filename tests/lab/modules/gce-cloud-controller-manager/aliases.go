package main

import (
	"context"
	"encoding/json"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	genericcontrollermanager "k8s.io/controller-manager/app"
	"k8s.io/controller-manager/controller"
	"k8s.io/klog/v2"
	"k8s.io/legacy-cloud-providers/gce"
)

// What k8s.io/cloud-provider-gcp calls its controller of pods' ranges; its source cannot be had as a Go module.
const nodeIPAM = "node-ipam-controller"

// A node's pods have the alias range of its instance (--cidr-allocator-type=CloudAllocator).
var aliases = app.ControllerInitFuncConstructor{
	InitContext: app.ControllerInitContext{ClientName: "node-controller"},
	Constructor: func(_ app.ControllerInitContext, completed *config.CompletedConfig, cloud cloudprovider.Interface) app.InitFunc {
		return func(ctx context.Context, _ genericcontrollermanager.ControllerContext) (controller.Interface, bool, error) {
			shared := completed.ComponentConfig.KubeCloudShared
			google, isGoogle := cloud.(*gce.Cloud)
			if !isGoogle || !shared.AllocateNodeCIDRs || shared.CIDRAllocatorType != "CloudAllocator" {
				return nil, false, nil
			}
			client := completed.ClientBuilder.ClientOrDie("node-controller")
			nodes := completed.SharedInformers.Core().V1().Nodes().Lister()
			go wait.UntilWithContext(ctx, func(ctx context.Context) { giveRanges(ctx, google, client, nodes) }, time.Second)
			return nil, true, nil
		}
	},
}

func giveRanges(ctx context.Context, google *gce.Cloud, client kubernetes.Interface, nodes listers.NodeLister) {
	found, err := nodes.List(labels.Everything())
	if err != nil {
		klog.Errorf("nodes: %v", err)
		return
	}
	for _, node := range found {
		if node.Spec.ProviderID == "" || node.Spec.PodCIDR != "" {
			continue
		}
		ranges, err := google.AliasRangesByProviderID(node.Spec.ProviderID)
		if err == nil && len(ranges) > 0 {
			err = giveRange(ctx, client, node.Name, ranges[0])
		}
		if err != nil {
			klog.Errorf("range of %s: %v", node.Name, err)
		}
	}
}

func giveRange(ctx context.Context, client kubernetes.Interface, name string, cidr string) error {
	now := time.Now().UTC().Format(time.RFC3339)
	condition := map[string]any{
		"type": v1.NodeNetworkUnavailable, "status": v1.ConditionFalse, "reason": "RouteCreated",
		"message": "NodeController create implicit route", "lastHeartbeatTime": now, "lastTransitionTime": now,
	}
	status := map[string]any{"status": map[string]any{"conditions": []any{condition}}}
	spec := map[string]any{"spec": map[string]any{"podCIDR": cidr, "podCIDRs": []string{cidr}}}
	if err := patch(ctx, client, name, status, "status"); err != nil {
		return err
	}
	return patch(ctx, client, name, spec)
}

func patch(ctx context.Context, client kubernetes.Interface, name string, change any, subresources ...string) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(
		ctx, name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, subresources...)
	return err
}
