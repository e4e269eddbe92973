// Copyright: (c) 2026, kubeops.kops contributors
// GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// A vCenter in memory: the simulator of govmomi with the REST API of tags, as its own command vcsim has it, which the
// module proxy does not. Beside that, a clone gets the settings that the request to clone it names, as in vCenter.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// source is a virtual machine that others are cloned from.
type source struct {
	*simulator.VirtualMachine
}

// CloneVMTask clones it, and then gives the clone its settings. The simulator's own way forgets them.
func (vm *source) CloneVMTask(ctx *simulator.Context, req *types.CloneVM_Task) soap.HasFault {
	task := simulator.CreateTask(vm, "cloneVm", func(*simulator.Task) (types.AnyType, types.BaseMethodFault) {
		body := vm.VirtualMachine.CloneVMTask(ctx, req).(*methods.CloneVM_TaskBody)
		made, fault := finish(ctx, body.Res.Returnval)
		if fault != nil || req.Spec.Config == nil {
			return made, fault
		}
		ref := made.(types.ManagedObjectReference)
		settings := *req.Spec.Config
		// These the simulator's own way applies.
		settings.DeviceChange = nil
		clone := ctx.Map.Get(ref).(*simulator.VirtualMachine)
		configured := clone.ReconfigVMTask(ctx, &types.ReconfigVM_Task{This: ref, Spec: settings})
		_, fault = finish(ctx, configured.(*methods.ReconfigVM_TaskBody).Res.Returnval)
		return made, fault
	})
	return &methods.CloneVM_TaskBody{Res: &types.CloneVM_TaskResponse{Returnval: task.Run(ctx)}}
}

// finish waits for a task, and gives its result or its fault.
func finish(ctx *simulator.Context, ref types.ManagedObjectReference) (types.AnyType, types.BaseMethodFault) {
	task := ctx.Map.Get(ref).(*simulator.Task)
	task.Wait()
	if task.Info.Error != nil {
		return nil, task.Info.Error.Fault
	}
	return task.Info.Result, nil
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address and port")
	user := flag.String("user", "user", "name of the user")
	password := flag.String("password", "pass", "password of the user")
	delay := flag.Int("delay", 0, "milliseconds that each task takes")
	model := simulator.VPX()
	flag.IntVar(&model.Datacenter, "datacenters", model.Datacenter, "number of datacenters")
	flag.IntVar(&model.ClusterHost, "hosts", model.ClusterHost, "hosts of each cluster")
	flag.IntVar(&model.Datastore, "datastores", model.Datastore, "datastores of each datacenter")
	flag.IntVar(&model.Machine, "machines", model.Machine, "virtual machines of each resource pool")
	flag.Parse()
	// Hosts that are in no cluster.
	model.Host = 0

	if err := model.Create(); err != nil {
		log.Fatal(err)
	}
	for _, found := range model.Map().All("VirtualMachine") {
		model.Map().Put(&source{found.(*simulator.VirtualMachine)})
	}
	if *delay > 0 {
		// While a task waits, others may look at what it is about.
		simulator.TaskDelay = simulator.DelayConfig{Delay: *delay, MethodDelay: map[string]int{"LockHandoff": 0}}
	}
	model.Service.RegisterEndpoints = true
	model.Service.TLS = new(tls.Config)
	model.Service.Listen = &url.URL{Host: *listen, User: url.UserPassword(*user, *password)}
	server := model.Service.NewServer()
	fmt.Println(server.URL.Host)

	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM)
	<-ends
	server.Close()
	model.Remove()
}
