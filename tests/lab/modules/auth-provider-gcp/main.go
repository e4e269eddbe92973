// The kubelet's credential provider for registries of Google, of whose own the Go module proxy has no source.
//
// It answers what that one does: the access token of the instance's service account, for the image that is asked for.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

const token = "http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token"

func main() {
	var asked struct{ APIVersion, Image string }
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		fail(err)
	}
	request, err := http.NewRequest(http.MethodGet, token, nil)
	if err != nil {
		fail(err)
	}
	request.Header.Set("Metadata-Flavor", "Google")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fail(err)
	}
	defer answer.Body.Close()
	var given struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&given); err != nil {
		fail(err)
	}
	registry, _, _ := strings.Cut(asked.Image, "/")
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"kind": "CredentialProviderResponse", "apiVersion": asked.APIVersion, "cacheKeyType": "Registry",
		"auth": map[string]any{registry: map[string]string{"username": "_token", "password": given.AccessToken}},
	})
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
