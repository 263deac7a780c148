package main

import (
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Metadata is the content of Chart.yaml, as templates see it.
type Metadata struct {
	APIVersion  string `json:"apiVersion"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	AppVersion  string `json:"appVersion"`
	KubeVersion string `json:"kubeVersion"`
	Home        string `json:"home"`
	Sources     []string
	Keywords    []string
}

// Chart is a chart in memory.
type Chart struct {
	metadata  Metadata
	values    []byte
	templates map[string]string
	files     Files
}

func loadChart(folder string) (Chart, error) {
	all, err := readFolder(folder)
	if err != nil {
		return Chart{}, err
	}
	chart := Chart{values: all["values.yaml"], templates: map[string]string{}, files: Files{}}
	for name, data := range all {
		switch {
		case strings.HasPrefix(name, "templates/"):
			chart.templates[name] = string(data)
		case name != "Chart.yaml" && name != "values.yaml" && name != "values.schema.json":
			chart.files[name] = data
		}
	}
	return chart, yaml.UnmarshalStrict(all["Chart.yaml"], &chart.metadata)
}

// readFolder returns all files that .helmignore does not name. It follows symbolic links, also those to folders.
func readFolder(root string) (map[string][]byte, error) {
	ignored, err := readIgnored(filepath.Join(root, ".helmignore"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	return files, walk(root, "", ignored, files)
}

func walk(root, name string, ignored ignoreList, files map[string][]byte) error {
	path := filepath.Join(root, name)
	info, err := os.Stat(path)
	if err != nil || (name != "" && ignored.has(name, info.IsDir())) {
		return err
	}
	if !info.IsDir() {
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		if err := walk(root, filepath.Join(name, entry.Name()), ignored, files); err != nil {
			return err
		}
	}
	return err
}
