package main

import (
	"net/http"
	"os"

	"github.com/Unleash/unleash-go-sdk/v5"
	"github.com/Unleash/unleash-go-sdk/v5/context"
)

type listener struct{ ready chan struct{} }

// OnError ends the program if there are no flags. Later errors are those of people without a trait.
func (one listener) OnError(err error) {
	select {
	case <-one.ready:
	default:
		must(err)
	}
}
func (one listener) OnWarning(error)            {}
func (one listener) OnReady()                   { close(one.ready) }
func (one listener) OnUpdate()                  {}
func (one listener) OnCount(string, bool)       {}
func (one listener) OnSent(unleash.MetricsData) {}
func (one listener) OnRegistered(unleash.ClientData) {
}

// askUnleash returns the variation of each flag for each person, or whether it is on.
func askUnleash(url, key string, input asked) map[string]map[string]string {
	folder, err := os.MkdirTemp("", "unleash-go-")
	must(err)
	defer os.RemoveAll(folder)
	hears := listener{ready: make(chan struct{})}
	client, err := unleash.NewClient(
		unleash.WithUrl(url),
		unleash.WithAppName("wires"),
		unleash.WithCustomHeaders(http.Header{"Authorization": {key}}),
		unleash.WithBackupPath(folder),
		unleash.WithListener(hears),
	)
	must(err)
	<-hears.ready
	answers := make(map[string]map[string]string)
	for _, one := range input.People {
		found := make(map[string]string)
		about := context.Context{UserId: one.UserId, Properties: one.Properties}
		for _, flag := range input.Flags {
			variant := client.GetVariant(flag, unleash.WithVariantContext(about))
			switch {
			case variant.Enabled:
				found[flag] = variant.Name
			case variant.FeatureEnabled:
				found[flag] = "on"
			default:
				found[flag] = "off"
			}
		}
		answers[one.UserId] = found
	}
	must(client.Close())
	return answers
}
