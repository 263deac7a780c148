// Tests the parts of the Helm chart that need no template engine. test/real/helm renders the templates.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, textOf } from '../docs/documents.ts';
import {
  CHART,
  commentsOfValues,
  descriptionsOfValues,
  leavesOfValues,
  VALUES,
  valueAt,
} from './helm-chart.ts';
import { yamlOf } from './support.ts';

const TEMPLATES = readdirSync(join(ROOT, CHART, 'templates'));
const templates = TEMPLATES.map((name) => textOf(`${CHART}/templates/${name}`)).join('\n');

test('the versions of the chart equal that of the package', () => {
  const { version, appVersion } = yamlOf(`${CHART}/Chart.yaml`);
  const manifest = JSON.parse(textOf('package.json'));
  expect([version, appVersion]).toEqual([manifest.version, manifest.version]);
});

test('the chart needs the Kubernetes that numbers pods', () => {
  expect(yamlOf(`${CHART}/Chart.yaml`).kubeVersion).toBe('>=1.28.0-0');
});

test('the rules and the dashboards of the chart are those of the repository', () => {
  const folder = join(ROOT, CHART, 'files');
  expect(readdirSync(folder).toSorted()).toEqual(['dashboards', 'rules.yml']);
  expect(readFileSync(join(folder, 'rules.yml'), 'utf8')).toBe(textOf('prometheus/rules/proxywatch.yml'));
  const dashboards = readdirSync(join(folder, 'dashboards'));
  expect(dashboards).toEqual(readdirSync(join(ROOT, 'grafana/dashboards')));
  expect(dashboards.length).toBeGreaterThan(0);
});

test('every value has the same text in values.yaml and in the schema', () => {
  const { global, ...described } = Object.fromEntries(descriptionsOfValues());
  expect(global).toMatch(/\.$/);
  expect(described).toEqual(Object.fromEntries(commentsOfValues()));
  for (const text of Object.values(described)) expect(text).toMatch(/^[A-Z].*\.$/);
});

test('every key of values.yaml has a comment', () => {
  const paths = [...commentsOfValues().keys()];
  const sections = ['', ...paths.filter((path) => !leavesOfValues().includes(path))];
  for (const section of sections) {
    const prefix = section === '' ? '' : `${section}.`;
    const keys = Object.keys(section === '' ? VALUES : valueAt(VALUES, section));
    expect(keys.filter((key) => !paths.includes(prefix + key))).toEqual([]);
  }
});

test('the templates use only values that exist', () => {
  const known = [...commentsOfValues().keys()];
  const used = [...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((path) => !known.includes(path))).toEqual([]);
});
