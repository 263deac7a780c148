package main

import (
	"encoding/json"
	"fmt"

	"github.com/Masterminds/semver"
	"sigs.k8s.io/yaml"
)

// topOf returns what a template sees as its dot.
func topOf(chart Chart, request Request) (map[string]any, error) {
	defaults, err := readValues(chart.values, request.NumbersAsText)
	if err != nil {
		return nil, err
	}
	values, err := readValues([]byte(request.Values), request.NumbersAsText)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"Chart":        chart.metadata,
		"Files":        chart.files,
		"Release":      request.Release,
		"Values":       withDefaults(values, defaults),
		"Capabilities": map[string]any{"KubeVersion": map[string]any{"Version": request.KubeVersion}},
	}, nil
}

func readValues(text []byte, numbersAsText bool) (map[string]any, error) {
	values := map[string]any{}
	useNumber := func(decoder *json.Decoder) *json.Decoder {
		if numbersAsText {
			decoder.UseNumber()
		}
		return decoder
	}
	return values, yaml.Unmarshal(text, &values, useNumber)
}

// withDefaults merges maps by key. A null in the user's values removes the default, and a list replaces it.
func withDefaults(values, defaults map[string]any) map[string]any {
	merged := map[string]any{}
	for key, value := range defaults {
		merged[key] = value
	}
	for key, value := range values {
		table, isTable := value.(map[string]any)
		old, wasTable := merged[key].(map[string]any)
		switch {
		case value == nil:
			delete(merged, key)
		case isTable && wasTable:
			merged[key] = withDefaults(table, old)
		default:
			merged[key] = value
		}
	}
	return merged
}

func checkKubeVersion(wanted, version string) error {
	constraint, err := semver.NewConstraint(wanted)
	if err != nil {
		return err
	}
	parsed, err := semver.NewVersion(version)
	if err == nil && !constraint.Check(parsed) {
		err = fmt.Errorf("chart requires kubeVersion: %s which is incompatible with Kubernetes %s", wanted, version)
	}
	return err
}
