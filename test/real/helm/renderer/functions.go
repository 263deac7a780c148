package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

// functions returns the functions of Helm that do not need the templates: those of sprig, except the ones that read
// the environment, and those for YAML and JSON.
func functions(cluster []map[string]any) template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, name)
	}
	all["toYaml"], all["toJson"] = toYaml, toJson
	all["fromYaml"], all["fromJson"] = fromYaml, fromYaml
	all["required"] = required
	all["lookup"] = func(apiVersion, kind, namespace, name string) map[string]any {
		return lookup(cluster, apiVersion, kind, namespace, name)
	}
	return all
}

func toYaml(value any) string {
	data, _ := yaml.Marshal(value)
	return strings.TrimSuffix(string(data), "\n")
}

func toJson(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

// fromYaml returns an error as the key Error, as Helm does.
func fromYaml(text string) map[string]any {
	parsed := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		parsed["Error"] = err.Error()
	}
	return parsed
}

func required(warning string, value any) (any, error) {
	if value == nil || value == "" {
		return nil, fmt.Errorf("%s", warning)
	}
	return value, nil
}

// lookup returns an empty map if the cluster has no such object, as it does when Helm only prints the objects.
func lookup(cluster []map[string]any, apiVersion, kind, namespace, name string) map[string]any {
	for _, object := range cluster {
		metadata, _ := object["metadata"].(map[string]any)
		if object["apiVersion"] == apiVersion && object["kind"] == kind &&
			metadata["namespace"] == namespace && metadata["name"] == name {
			return object
		}
	}
	return map[string]any{}
}
