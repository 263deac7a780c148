// Tests that the mixin for jsonnet has all rules and dashboards. `vitest run test/prometheus -u` updates its rules.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { historyRules } from '../../prometheus/source/history-rules.ts';
import { rulesForJsonnet } from '../../prometheus/source/mixin.ts';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from '../docs/documents.ts';

const MIXIN = 'prometheus/mixin';

test.each([
  ['alerts', rulesOf(ALERTS)],
  ['rules', historyRules()],
])('generated/%s.json matches its source', async (name, yaml) => {
  await expect(rulesForJsonnet(yaml)).toMatchFileSnapshot(`../../${MIXIN}/generated/${name}.json`);
});

test('it imports every dashboard under the uid of the dashboard', () => {
  const imported = [
    ...textOf(`${MIXIN}/dashboards.libsonnet`).matchAll(/'([\w-]+)\.json': .*\(import '([^']+)'\)/g),
  ].map(([, key, path = '']) => [key, JSON.parse(textOf(join(MIXIN, path))).uid, path]);
  expect(imported.filter(([key, uid]) => key !== uid)).toEqual([]);
  expect(imported.map(([, , path]) => path)).toEqual(
    readdirSync(join(ROOT, 'grafana/dashboards')).map((name) => `../../grafana/dashboards/${name}`),
  );
});

test('its README lists every option with its default', () => {
  const config = textOf(`${MIXIN}/config.libsonnet`);
  const options = [...config.matchAll(/^ {4}(\w+): (.*),$/gm)].map(([, name, value]) => [name, value]);
  const documented = tableRowsOf(textOf(`${MIXIN}/README.md`)).flatMap((row) =>
    row.option && row.default ? [[row.option, row.default].flatMap(codeWordsOf)] : [],
  );
  expect(options.length).toBeGreaterThan(0);
  expect(documented).toEqual(options);
});
