// Tests that the recording rules over pushed history match their source (`vitest run test/prometheus -u` updates them).

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { historyRules } from '../../prometheus/source/history-rules.ts';
import { HISTORY_FAMILIES } from '../../src/collectors/index.ts';
import { codeWordsOf, tableRowsOf, textOf } from '../docs/documents.ts';
import { metricsIn } from '../grafana/promql.ts';

const HISTORY_NAMES = new Set(HISTORY_FAMILIES.map(({ name }) => name));
const FILE = 'prometheus/history-rules/proxywatch-history.yml';

test('the file matches its source', async () => {
  await expect(historyRules()).toMatchFileSnapshot(`../../${FILE}`);
});

test('the reference lists every recorded series', () => {
  const documented = tableRowsOf(textOf('docs/reference/metrics.md')).flatMap((row) =>
    codeWordsOf(row['recorded series'] ?? ''),
  );
  const recorded: string[] = parse(textOf(FILE)).groups[0].rules.map((rule: { record: string }) =>
    rule.record.replace(/:proxywatch_\w+:/, ':NAME:'),
  );
  expect(documented).toEqual([...new Set(recorded)]);
});

test('every rule reads the pushed history only', () => {
  const [{ rules }] = parse(textOf(FILE)).groups;
  expect(rules).toHaveLength(12);
  for (const { record, expr } of rules) {
    expect(metricsIn(expr).length).toBeGreaterThan(0);
    for (const name of metricsIn(expr)) expect([record, HISTORY_NAMES.has(name)]).toEqual([record, true]);
  }
});
