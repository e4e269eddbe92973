// What kubernetes-csi/livenessprobe does for the kubelet, without asking the driver beside it.
//
// Its source cannot be had as a Go module.
package main

import (
	"flag"
	"log"
	"net/http"
)

func main() {
	port := flag.String("health-port", "9808", "where it answers")
	endpoint := flag.String("http-endpoint", "", "the same, with an address")
	flag.String("csi-address", "", "is not asked")
	flag.String("v", "", "ignored")
	flag.String("probe-timeout", "", "ignored")
	flag.Parse()
	address := *endpoint
	if address == "" {
		address = ":" + *port
	}
	http.HandleFunc("/healthz", func(answer http.ResponseWriter, _ *http.Request) {
		answer.WriteHeader(http.StatusOK)
	})
	log.Fatal(http.ListenAndServe(address, nil))
}
