package main

import (
	"path"
	"sort"
	"strings"
	"text/template"
)

// render returns the text of each template, without files whose names begin with an underscore.
func render(chart Chart, top map[string]any, cluster []map[string]any) (map[string]string, error) {
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(cluster)).Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) { return execute(all, name, data) },
		"tpl":     func(text string, data any) (string, error) { return renderText(all, text, data) },
	})
	names := namesOf(chart)
	for _, name := range names {
		text := chart.templates[strings.TrimPrefix(name, chart.metadata.Name+"/")]
		if _, err := all.New(name).Parse(text); err != nil {
			return nil, err
		}
	}
	return renderAll(all, names, top)
}

func renderAll(all *template.Template, names []string, top map[string]any) (map[string]string, error) {
	rendered := map[string]string{}
	for _, name := range names {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		top["Template"] = map[string]any{"Name": name, "BasePath": strings.SplitAfter(name, "/templates")[0]}
		text, err := execute(all, name, top)
		if err != nil {
			return nil, err
		}
		rendered[name] = text
	}
	return rendered, nil
}

const noValue = "<no value>"

// removeMissing removes what the engine prints for a missing value, as Helm does, and returns where it was.
func removeMissing(texts map[string]string) []string {
	names := []string{}
	for name, text := range texts {
		if strings.Contains(text, noValue) {
			names = append(names, name)
			texts[name] = strings.ReplaceAll(text, noValue, "")
		}
	}
	return names
}

// namesOf returns the names as they are in errors. Helm parses deep folders first.
func namesOf(chart Chart) []string {
	names := []string{}
	for name := range chart.templates {
		names = append(names, chart.metadata.Name+"/"+name)
	}
	sort.Slice(names, func(a, b int) bool {
		depthOfA, depthOfB := strings.Count(names[a], "/"), strings.Count(names[b], "/")
		return depthOfA > depthOfB || depthOfA == depthOfB && names[a] > names[b]
	})
	return names
}

func execute(all *template.Template, name string, data any) (string, error) {
	var text strings.Builder
	err := all.ExecuteTemplate(&text, name, data)
	return text.String(), err
}

func renderText(all *template.Template, text string, data any) (string, error) {
	copied, err := all.Clone()
	if err != nil {
		return "", err
	}
	if _, err := copied.New("text").Parse(text); err != nil {
		return "", err
	}
	return execute(copied, "text", data)
}
