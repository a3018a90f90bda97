// Runs SDKs for Go of other products against /unleash and /posthog, as the programs for Python beside this folder do
// with those for Python.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type person struct {
	UserId     string            `json:"userId"`
	Properties map[string]string `json:"properties"`
}

// asked is the input, as JSON.
type asked struct {
	// For unleash: the flags to answer for each of the people.
	Flags  []string `json:"flags"`
	People []person `json:"people"`
	// For posthog: the ids of the events to send, and the pause after each.
	Ids   []string `json:"ids"`
	Pause int      `json:"pause_ms"`
}

func main() {
	var input asked
	must(json.NewDecoder(os.Stdin).Decode(&input))
	baseUrl, key := os.Getenv("BASE_URL"), os.Getenv("PROJECT_KEY")
	var answer any
	switch os.Args[1] {
	case "unleash":
		answer = askUnleash(baseUrl+"/unleash/api", key, input)
	case "posthog":
		answer = askPosthog(baseUrl+"/posthog", key, input)
	default:
		must(fmt.Errorf("unknown SDK %s", os.Args[1]))
	}
	must(json.NewEncoder(os.Stdout).Encode(answer))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
