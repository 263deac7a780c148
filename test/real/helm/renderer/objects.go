package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"sigs.k8s.io/yaml"
)

// Object is one YAML document of a rendered template.
type Object struct {
	Template string          `json:"template"`
	Text     string          `json:"text"`
	Content  json.RawMessage `json:"content"`
}

var separator = regexp.MustCompile(`(?m)^---[ \t]*$`)

// objectsOf parses the documents as Helm and Kubernetes do, but fails if a key occurs twice.
func objectsOf(texts map[string]string) ([]Object, error) {
	objects := []Object{}
	for name, text := range texts {
		if strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		for _, document := range separator.Split(text, -1) {
			content, err := yaml.YAMLToJSONStrict([]byte(document))
			if err != nil {
				return nil, fmt.Errorf("YAML parse error on %s: %w", name, err)
			}
			if string(content) != "null" {
				objects = append(objects, Object{Template: name, Text: document, Content: content})
			}
		}
	}
	sort.SliceStable(objects, func(a, b int) bool { return objects[a].Template < objects[b].Template })
	return objects, nil
}
