// Tests the list of alerts and the files generated from it. `vitest run test/alerts -u` updates these files.

import { expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { renderSummary, summaryTemplate } from '../../src/alerts/summary.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { clausesWithout } from '../grafana/promql.ts';
import { alertDocs } from '../support/alert-docs.ts';

test('the rules for Prometheus match the list of alerts', async () => {
  await expect(rulesOf(ALERTS)).toMatchFileSnapshot('../../prometheus/rules/proxywatch.yml');
});

test('the documentation of the alerts matches the list', async () => {
  await expect(alertDocs(ALERTS)).toMatchFileSnapshot('../../docs/alerts.md');
});

test('names are unique', () => {
  expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length);
});

test.each(ALERTS)(
  'the summary of $name uses only its labels and value',
  ({ summary, labels, unit, scope }) => {
    const named = [...summary.matchAll(/\{ ?(\w+)\}/g)].map(([, name]) => name);
    const scopeLabel = { account: 'account', daemon: 'instance', outside: 'instance' }[scope];
    const known = [scopeLabel, ...labels, ...(unit === 'none' ? [] : ['value'])];
    expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  },
);

test.each(ALERTS.filter(({ scope }) => scope !== 'outside'))(
  '$name neither joins nor aggregates across instances',
  ({ expression }) => {
    expect(clausesWithout(expression('1'), 'instance')).toEqual([]);
  },
);

test('a clause that joins or aggregates across instances is detected', () => {
  const expression =
    'max(a) + max by (account) (b) + on (account) c + ignoring (instance) d + sum without (instance) (e) ' +
    '+ max by (instance) (f) + on (account, instance) g + ignoring (kind) h + sum without (kind) (i)';
  expect(clausesWithout(expression, 'instance')).toEqual([
    'max(a)',
    'max by (account) (b)',
    'on (account)',
    'ignoring (instance)',
    'sum without (instance) (e)',
  ]);
});

test('a summary leaves out a label that the subject does not have, and the space before it', () => {
  const summary = '{value} failed: {account}{ graph}';
  const render = (graph: Record<string, string>) =>
    renderSummary(summary, 'count', { labels: { account: 'main', ...graph }, value: 3 });
  expect([render({}), render({ graph: 'shop' })]).toEqual(['3 failed: main', '3 failed: main shop']);
  expect(summaryTemplate(summary, 'count')).toBe(
    '{{ $value }} failed: {{ $labels.account }}{{ with $labels.graph }} {{ . }}{{ end }}',
  );
});
