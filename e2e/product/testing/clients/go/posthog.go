package main

import (
	"sync"
	"time"

	"github.com/posthog/posthog-go"
)

// askPosthog sends the events and makes ids one person, and returns the flags of each person.
func askPosthog(url, key string, input asked) map[string]map[string]any {
	client, err := posthog.NewWithConfig(key, posthog.Config{
		Endpoint:    url,
		BatchSize:   20,
		Interval:    100 * time.Millisecond,
		Compression: posthog.CompressionGzip,
		RetryAfter:  func(int) time.Duration { return 3 * time.Second },
	})
	must(err)
	send := func(ids []string) {
		for n, id := range ids {
			must(client.Enqueue(posthog.Capture{
				Uuid:       id,
				DistinctId: "go-buyer",
				Event:      "paid",
				Properties: posthog.NewProperties().Set("n", n),
			}))
			time.Sleep(time.Duration(input.Pause) * time.Millisecond)
		}
	}
	if len(input.Ids) > 0 {
		half := len(input.Ids) / 2
		send(input.Ids[:half])
		must(client.Enqueue(posthog.Identify{
			DistinctId: "go-ada",
			Properties: posthog.NewProperties().Set("plan", "pro"),
		}))
		must(client.Enqueue(posthog.Alias{DistinctId: "go-ada", Alias: "go-visitor"}))
		send(input.Ids[half:])
	}
	flags := flagsOf(client, input.People)
	must(client.Close())
	return flags
}

// flagsOf asks for the flags of several people at once.
func flagsOf(client posthog.Client, people []person) map[string]map[string]any {
	var all sync.Map
	var asking sync.WaitGroup
	places := make(chan struct{}, 4)
	for _, one := range people {
		asking.Add(1)
		places <- struct{}{}
		go func() {
			defer asking.Done()
			properties := posthog.NewProperties()
			for name, value := range one.Properties {
				properties.Set(name, value)
			}
			found, err := client.GetAllFlags(posthog.FeatureFlagPayloadNoKey{
				DistinctId:       one.UserId,
				PersonProperties: properties,
			})
			must(err)
			all.Store(one.UserId, found)
			<-places
		}()
	}
	asking.Wait()
	answers := make(map[string]map[string]any)
	all.Range(func(id, found any) bool {
		answers[id.(string)] = found.(map[string]any)
		return true
	})
	return answers
}
