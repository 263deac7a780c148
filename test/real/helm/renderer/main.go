// Renders a chart as Helm does, with the template engine, the functions and the YAML library of Helm. Reads a request
// as JSON from the standard input, and writes the objects or the error as JSON.
package main

import (
	"encoding/json"
	"log"
	"os"
)

// Request names a chart, and has what a user and a cluster give to Helm.
type Request struct {
	Chart       string
	Release     map[string]any
	KubeVersion string
	// Values is the YAML of the user.
	Values string
	// NumbersAsText makes numbers in values json.Number instead of float64. Helm has both, depending on its version.
	NumbersAsText bool
	// Cluster has the objects that lookup finds.
	Cluster []map[string]any
}

// Answer has either objects and notes, or an error.
type Answer struct {
	Objects []Object `json:"objects"`
	Notes   string   `json:"notes"`
	// Missing has the templates that print values which do not exist.
	Missing []string `json:"missing"`
	Error   string   `json:"error,omitempty"`
}

func main() {
	log.SetFlags(0)
	var request Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		log.Fatal(err)
	}
	answer, err := answerOf(request)
	if err != nil {
		answer = Answer{Error: err.Error()}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}

func answerOf(request Request) (Answer, error) {
	chart, err := loadChart(request.Chart)
	if err != nil {
		return Answer{}, err
	}
	if err := checkKubeVersion(chart.metadata.KubeVersion, request.KubeVersion); err != nil {
		return Answer{}, err
	}
	top, err := topOf(chart, request)
	if err != nil {
		return Answer{}, err
	}
	texts, err := render(chart, top, request.Cluster)
	if err != nil {
		return Answer{}, err
	}
	missing := removeMissing(texts)
	objects, err := objectsOf(texts)
	return Answer{Objects: objects, Notes: texts[chart.metadata.Name+"/templates/NOTES.txt"], Missing: missing}, err
}
