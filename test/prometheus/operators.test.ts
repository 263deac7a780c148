// Tests that no query relies on the labels by which operators match by default: Prometheus can add some to raw series.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocksIn, DOCUMENTS, textOf } from '../docs/documents.ts';
import { builtInVariables, interpolate, queriesOf, readDashboards } from '../grafana/dashboard-files.ts';
import { ambiguousOperators } from '../grafana/promql.ts';

const rulesIn = (file: string): string[] =>
  parse(textOf(file)).groups.flatMap(({ rules }: { rules: { expr: string }[] }) =>
    rules.map(({ expr }) => expr),
  );

const QUERIES = {
  'the alert rules': rulesIn('prometheus/rules/proxywatch.yml'),
  'the recording rules': rulesIn('prometheus/history-rules/proxywatch-history.yml'),
  'the dashboards': readDashboards().flatMap((dashboard) => {
    const chosen = dashboard.templating.list.map(({ name }) => [name, name === 'window' ? '1h' : '1']);
    const values = { ...builtInVariables(60), ...Object.fromEntries(chosen) };
    return queriesOf(dashboard).map(({ expr }) => interpolate(expr, values));
  }),
  'the documents': DOCUMENTS.flatMap(codeBlocksIn)
    .filter(({ language }) => language === 'promql')
    .flatMap(({ text }) => text.split('\n')),
};

test.each(Object.entries(QUERIES))('each operator of %s says by which labels it matches', (_, queries) => {
  expect(queries.length).toBeGreaterThan(5);
  expect([...new Set(queries.flatMap(ambiguousOperators))]).toEqual([]);
});

test('an operator that does not say it is detected', () => {
  const ambiguous = [
    'a + b',
    'a and ignoring (kind) b',
    'a > bool (day_of_month(vector(time())) or c)',
    '(-a) unless b',
  ];
  expect(ambiguous.map((query) => ambiguousOperators(query)[0])).toEqual(ambiguous);
  const clear =
    'a + 1 > time() - scalar(b) and on () c * on (account) group_left () (-2 * (d or ignoring (__type__, __unit__) e))';
  expect(ambiguousOperators(clear)).toEqual([]);
});
