package main

import (
	"sync"
	"time"

	"github.com/posthog/posthog-go"
)

// delivery counts messages that are not delivered yet: a client that is closed drops those that it would send again.
type delivery struct{ sync.WaitGroup }

func (pending *delivery) Success(posthog.APIMessage)              { pending.Done() }
func (pending *delivery) Failure(_ posthog.APIMessage, err error) { must(err) }

// askPosthog sends the events and makes ids one person, and returns the flags of each person.
func askPosthog(url, key string, input asked) map[string]map[string]any {
	var pending delivery
	client, err := posthog.NewWithConfig(key, posthog.Config{
		Endpoint:    url,
		BatchSize:   20,
		Interval:    100 * time.Millisecond,
		Compression: posthog.CompressionGzip,
		RetryAfter:  func(tries int) time.Duration { return time.Duration(tries+1) * time.Second },
		Callback:    &pending,
	})
	must(err)
	enqueue := func(message posthog.Message) {
		pending.Add(1)
		must(client.Enqueue(message))
	}
	send := func(ids []string) {
		for n, id := range ids {
			enqueue(posthog.Capture{
				Uuid:       id,
				DistinctId: "go-buyer",
				Event:      "paid",
				Properties: posthog.NewProperties().Set("n", n),
			})
			time.Sleep(time.Duration(input.Pause) * time.Millisecond)
		}
	}
	if len(input.Ids) > 0 {
		half := len(input.Ids) / 2
		send(input.Ids[:half])
		enqueue(posthog.Identify{
			DistinctId: "go-ada",
			Properties: posthog.NewProperties().Set("plan", "pro"),
		})
		enqueue(posthog.Alias{DistinctId: "go-ada", Alias: "go-visitor"})
		send(input.Ids[half:])
	}
	pending.Wait()
	flags := flagsOf(client, input.People)
	must(client.Close())
	return flags
}

// flagsOf asks for the flags of several people at once.
func flagsOf(client posthog.Client, people []person) map[string]map[string]any {
	answers := make(map[string]map[string]any)
	var writing sync.Mutex
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
			writing.Lock()
			answers[one.UserId] = found
			writing.Unlock()
			<-places
		}()
	}
	asking.Wait()
	return answers
}
