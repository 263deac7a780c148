// The table of alerts is whole, and what is made of it is as it is: `vitest run test/alerts -u` renews the files.

import { expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { prometheusText, textOf } from '../../src/alerts/words.ts';
import { clausesWithout } from '../grafana/promql.ts';
import { alertDocs } from '../support/alert-docs.ts';

test('the rules for Prometheus are made of the table', async () => {
  await expect(rulesOf(ALERTS)).toMatchFileSnapshot('../../prometheus/rules/proxywatch.yml');
});

test('the documentation of the alerts is made of the table', async () => {
  await expect(alertDocs(ALERTS)).toMatchFileSnapshot('../../docs/alerts.md');
});

test('names are there once', () => {
  expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length);
});

test.each(ALERTS)('$name says only what its labels and value tell', ({ summary, labels, unit, scope }) => {
  const named = [...summary.matchAll(/\{ ?(\w+)\}/g)].map(([, name]) => name);
  const ofScope = { account: 'account', daemon: 'instance', outside: 'instance' }[scope];
  const known = [ofScope, ...labels, ...(unit === 'none' ? [] : ['value'])];
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

test.each(ALERTS.filter(({ scope }) => scope !== 'outside'))(
  '$name joins and sums up nothing across instances',
  ({ expression }) => {
    expect(clausesWithout(expression('1'), 'instance')).toEqual([]);
  },
);

test('a clause that would join or sum up across instances is seen', () => {
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
  const told = (graph: Record<string, string>) =>
    textOf(summary, 'count', { labels: { account: 'main', ...graph }, value: 3 });
  expect([told({}), told({ graph: 'shop' })]).toEqual(['3 failed: main', '3 failed: main shop']);
  expect(prometheusText(summary, 'count')).toBe(
    '{{ $value }} failed: {{ $labels.account }}{{ with $labels.graph }} {{ . }}{{ end }}',
  );
});
