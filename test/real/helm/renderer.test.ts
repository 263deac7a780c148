// Tests that the renderer treats charts as Helm does, where the tests of the chart depend on it.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolder } from '../../config/support.ts';
import { describeWith } from '../with-programs.ts';
import { type RenderOptions, useRenderer } from './renderer.ts';

const CHART = { 'Chart.yaml': 'name: small\nkubeVersion: ">=1.28.0-0"\n', '.helmignore': '*.bak\nsecret/\n' };

describeWith(['go'], 'the renderer', () => {
  const render = useRenderer();

  /** Renders a chart with one template. */
  const contentOf = async (template: string, values: object, files = {}, options: RenderOptions = {}) => {
    const chart = createFolder({ ...CHART, 'values.yaml': '', 'templates/a.yaml': template, ...files });
    const { objects, missing } = await render(values, { ...options, chart });
    return { content: objects[0]?.content, missing };
  };

  test('merges maps by key, replaces lists, and removes what is null', async () => {
    const defaults = 'a: {b: 1, c: [1, 2], d: 4, e: {f: 5}}';
    const values = { a: { c: [3], d: null, e: { g: 6 } } };
    const { content } = await contentOf('{{ toYaml .Values }}', values, { 'values.yaml': defaults });
    expect(content).toEqual({ a: { b: 1, c: [3], e: { f: 5, g: 6 } } });
  });

  test('prints nothing for a missing value, and reports it', async () => {
    const { content, missing } = await contentOf('a: "x{{ .Values.none }}"', {});
    expect(content).toEqual({ a: 'x' });
    expect(missing).toEqual(['small/templates/a.yaml']);
    await expect(contentOf('a: {{ .Values.none.b }}', {})).rejects.toThrow('nil pointer evaluating');
  });

  test('has no functions that read the machine', async () => {
    await expect(contentOf('a: {{ env "HOME" }}', {})).rejects.toThrow('function "env" not defined');
    await expect(contentOf('a: {{ expandenv "$HOME" }}', {})).rejects.toThrow('not defined');
  });

  test('reads numbers as float64 or as text', async () => {
    const template = 'a: {{ kindOf .Values.n }}\nb: {{ .Values.n }}';
    expect((await contentOf(template, { n: 3 })).content).toEqual({ a: 'float64', b: 3 });
    const { content } = await contentOf(template, { n: 3 }, {}, { numbersAsText: true });
    expect(content).toEqual({ a: 'string', b: 3 });
  });

  test('evaluates include, tpl, required and lookup', async () => {
    const template = [
      '{{- define "greet" }}hello {{ .name }}{{ end -}}',
      'a: {{ include "greet" .Values | upper }}',
      'b: {{ tpl "{{ include \\"greet\\" .Values }}" . }}',
      'c: {{ len (lookup "v1" "Pod" "x" "y") }}',
      'd: {{ .Values.name | required "name is missing" }}',
    ].join('\n');
    const { content } = await contentOf(template, { name: 'ada' });
    expect(content).toEqual({ a: 'HELLO ADA', b: 'hello ada', c: 0, d: 'ada' });
    await expect(contentOf(template, { name: '' })).rejects.toThrow('name is missing');
  });

  test('reads the files of the chart, also through links, but not those of .helmignore', async () => {
    const other = createFolder({ 'deep/two.txt': 'two' });
    const chart = createFolder({
      ...CHART,
      'values.yaml': '',
      'files/one.txt': 'one {{ .Values }}',
      'files/old.bak': 'old',
      'secret/key.txt': 'key',
      'templates/a.yaml':
        '{{ range $name, $_ := .Files }}{{ $name }}: 1\n{{ end }}{{ (.Files.Glob "files/*.txt").AsConfig }}',
      'templates/.hidden.yaml': '{{ fail "hidden" }}',
      'templates/_partial.tpl': '{{ fail "partial" }}',
    });
    symlinkSync(join(other, 'deep'), join(chart, 'files/linked'));
    const { objects } = await render({}, { chart });
    expect(objects[0]?.content).toEqual({
      '.helmignore': 1,
      'files/linked/two.txt': 1,
      'files/one.txt': 1,
      'one.txt': 'one {{ .Values }}',
    });
  });

  test('splits documents, and reads them as YAML 1.1', async () => {
    const chart = createFolder({
      ...CHART,
      'values.yaml': '',
      'templates/a.yaml': '\n---\na: 0440\n---\n# none\n---\na: yes\n',
    });
    const { objects } = await render({}, { chart });
    expect(objects.map(({ content }) => content)).toEqual([{ a: 288 }, { a: true }]);
    await expect(contentOf('a: 1\na: 2', {})).rejects.toThrow('already set in map');
  });
});
