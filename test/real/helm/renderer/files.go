package main

import (
	"path"

	"github.com/gobwas/glob"
)

// Files are the files of a chart that are no templates, as .Files in templates.
type Files map[string][]byte

// Get returns the content, or an empty text if there is no such file.
func (files Files) Get(name string) string {
	return string(files[name])
}

// Glob returns the files that match a pattern, in which * does not match a slash.
func (files Files) Glob(pattern string) Files {
	found := Files{}
	matcher := glob.MustCompile(pattern, '/')
	for name, data := range files {
		if matcher.Match(name) {
			found[name] = data
		}
	}
	return found
}

// AsConfig returns the files as the YAML of a ConfigMap's data.
func (files Files) AsConfig() string {
	data := map[string]string{}
	for name, content := range files {
		data[path.Base(name)] = string(content)
	}
	return toYaml(data)
}
