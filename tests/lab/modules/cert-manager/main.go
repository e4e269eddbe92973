// The controller of cert-manager, which also answers as newer versions do when it is asked whether it lives.
//
// kops installs version 1.19, of which the Go module proxy has no programs. 1.11 is the last version that has them. It does
// not have the address of the liveness probe yet.
package main

import (
	"flag"
	"net/http"
	"os"

	"github.com/cert-manager/cert-manager/cmd/controller/app"
	"github.com/cert-manager/cert-manager/cmd/util"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
)

func main() {
	stop, exit := util.SetupExitHandler(util.GracefulShutdown)
	defer exit()

	logf.InitLogs(flag.CommandLine)
	defer logf.FlushLogs()
	go answer()

	command := app.NewCommandStartCertManagerController(stop)
	command.Flags().AddGoFlagSet(flag.CommandLine)
	flag.CommandLine.Parse([]string{})
	if err := command.Execute(); err != nil {
		logf.Log.Error(err, "the controller failed")
		util.SetExitCode(err)
	}
}

func answer() {
	http.HandleFunc("/livez", func(http.ResponseWriter, *http.Request) {})
	if err := http.ListenAndServe(":9403", nil); err != nil {
		logf.Log.Error(err, "the health server failed")
		os.Exit(1)
	}
}
