package main

import (
	"os"
	"path/filepath"
	"strings"
)

// ignoreList has the patterns of .helmignore. A pattern with a slash is about the path, and any other about the name.
type ignoreList []string

func readIgnored(file string) (ignoreList, error) {
	text, err := os.ReadFile(file)
	// Helm never loads hidden files in the folder of the templates.
	list := ignoreList{"templates/.?*"}
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list, err
}

func (list ignoreList) has(name string, isFolder bool) bool {
	for _, pattern := range list {
		subject := name
		trimmed := strings.TrimSuffix(pattern, "/")
		if trimmed != pattern && !isFolder {
			continue
		}
		if !strings.Contains(trimmed, "/") {
			subject = filepath.Base(name)
		}
		if matched, _ := filepath.Match(strings.TrimPrefix(trimmed, "/"), subject); matched {
			return true
		}
	}
	return false
}
