// Tests the list of alerts and the files generated from it. `vitest run test/alerts -u` updates these files.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { prometheusRuleOf } from '../../deploy/kubernetes/write-prometheus-rule.ts';
import { descriptionOf } from '../../src/alerts/annotations.ts';
import { rulesOf } from '../../src/alerts/rules.ts';
import { renderSummary, summaryTemplate } from '../../src/alerts/summary.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { VIEWS_BY_LABEL } from '../../src/page/address.ts';
import { ROOT, textOf } from '../docs/documents.ts';
import { clausesWithout } from '../grafana/promql.ts';
import { alertDocs } from '../support/alert-docs.ts';
import { withDescriptions } from '../support/rule-tests.ts';

const RULE_TESTS = readdirSync(join(ROOT, 'prometheus/tests'));

test('the rules for Prometheus match the list of alerts', async () => {
  await expect(rulesOf(ALERTS)).toMatchFileSnapshot('../../prometheus/rules/proxywatch.yml');
});

test('the rules for the Prometheus operator match the list of alerts', async () => {
  const path = '../../deploy/kubernetes/prometheus-rule.yaml';
  await expect(prometheusRuleOf(rulesOf(ALERTS))).toMatchFileSnapshot(path);
});

test('the documentation of the alerts matches the list', async () => {
  await expect(alertDocs(textOf('docs/alerts.md'), ALERTS)).toMatchFileSnapshot('../../docs/alerts.md');
});

test.each(RULE_TESTS)('the descriptions in prometheus/tests/%s match the list', async (name) => {
  const path = join(ROOT, 'prometheus/tests', name);
  await expect(withDescriptions(readFileSync(path, 'utf8'), ALERTS)).toMatchFileSnapshot(path);
});

test('names are unique', () => {
  expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length);
});

test.each(ALERTS)(
  'the summary of $name uses only its labels and value',
  ({ summary, labels, unit, scope }) => {
    const named = [...summary.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const scopeLabel = { account: 'account', daemon: 'instance', outside: 'instance' }[scope];
    const known = [scopeLabel, ...labels, 'reason', ...(unit === 'none' ? [] : ['value'])];
    expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  },
);

test.each(ALERTS)('the summary of $name names the account or the daemon, and its value', (alert) => {
  const { summary, unit, scope } = alert;
  expect(summary).toContain(scope === 'account' ? 'ccount' : 'proxywatch');
  if (scope === 'account') expect(summary).toContain('{account}');
  if (unit !== 'none') expect(summary).toContain('{value}');
  expect(summary).not.toContain('\n');
});

test.each(ALERTS)('the texts of $name are full sentences', ({ meaning, consequence, condition, ...rest }) => {
  const { checks, remedy = '.', summary } = rest;
  for (const text of [summary, meaning, consequence, condition, remedy, ...checks])
    expect(text).toMatch(/\.$/);
});

test.each(ALERTS)('the condition of $name states its threshold', ({ condition, threshold }) => {
  expect(condition.includes('{threshold}')).toBe(threshold !== undefined);
});

test.each(ALERTS.filter(({ holdMs }) => holdMs > 0))(
  'the documentation of $name states its `for`',
  (alert) => {
    expect(alertDocs('', [alert])).toMatch(/\*\*Fires after \d+ (minute|hour)s?:\*\* /);
  },
);

test.each(ALERTS)('what to do first about $name is a view of the page, then a command', (alert) => {
  const [view, command] = alert.checks;
  expect(view).toMatch(/^Open \{view\}[,.] /);
  expect(view).not.toMatch(API_OR_METRIC);
  expect(command).toMatch(/\brun `proxywatch [a-z]/i);
  expect(command).not.toMatch(API_OR_METRIC);
  expect(descriptionOf(alert)).toMatch(/\n1\. Open the (?:page of the|part “|status page)/);
});

const API_OR_METRIC = /\/api\/|proxywatch_/;

test.each(ALERTS)('$name opens either its subject or a section', ({ labels, scope, section }) => {
  const hasSubject = labels.some((label) => label in VIEWS_BY_LABEL);
  if (scope === 'account') expect(section === undefined).toBe(hasSubject);
  else expect([hasSubject, section ?? 'alerts']).toEqual([false, 'alerts']);
});

test('a description is plain text, and its checks are numbered', () => {
  const [alert] = ALERTS.filter(({ name }) => name === 'ProxyUserQuotaLow');
  expect(alert && descriptionOf(alert)).toBe(
    [
      'The proxy user has only a small share of its quota left. When the user has used up its quota, requests of the user are likely to fail.',
      'What to do first:',
      '1. Open the page of the proxy user on the status page. It shows the forecast for the time at which the user will have used up its quota.',
      '2. If the quota is meant to run out, or the provider resets the used bytes before that time, run “proxywatch silence add --alert ProxyUserQuotaLow --subject ID --for 7d --comment planned”.',
    ].join('\n'),
  );
});

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

test('a summary leaves out a part in brackets if the subject does not have its label', () => {
  const summary = '{value} of {account}[, graph {graph},] failed.';
  const render = (graph: Record<string, string>) =>
    renderSummary(summary, 'count', { labels: { account: 'main', ...graph }, value: 3 });
  expect([render({}), render({ graph: 'shop' })]).toEqual([
    '3 of main failed.',
    '3 of main, graph shop, failed.',
  ]);
  expect(summaryTemplate(summary, 'count')).toBe(
    '{{ printf "%.0f" $value }} of {{ $labels.account }}{{ with $labels.graph }}, graph {{ . }},{{ end }} failed.',
  );
});

test('a part in brackets may have another text for a subject without its label', () => {
  const { summary } = ALERTS.find(({ name }) => name === 'ProxiesFailing') ?? { summary: '' };
  const render = (product_type: string) =>
    renderSummary(summary, 'ratio', { labels: { account: 'main', product_type }, value: 0.4 });
  expect([render('isp'), render('')]).toEqual([
    'Account main: 40% of the tested proxies with the product type "isp" fail their tests.',
    'Account main: 40% of the tested proxies without a known product type fail their tests.',
  ]);
  expect(summaryTemplate('{account}[ a {graph}| b]', 'none')).toBe(
    '{{ $labels.account }}{{ with $labels.graph }} a {{ . }}{{ else }} b{{ end }}',
  );
});

test.each([
  ['ratio', 0.04361, '4.4%'],
  ['ratio', 0.999, '100%'],
  ['ratio', 0.125, '12%'],
  ['ratio', 0.375, '38%'],
  ['bytes', 0, '0 B'],
  ['bytes', 1_234_567_890, '1.2 GB'],
  ['bytes', 123_456_789_000, '120 GB'],
  ['bytes', -1_250_000, '-1.2 MB'],
  ['seconds', 144_000, '1d 16h'],
  ['seconds', 660, '11m'],
  ['seconds', 2.5, '2s'],
  ['seconds', -300, '-5m'],
  ['timestamp', 1_772_366_400.9, '2026-03-01 12:00 UTC'],
  ['count', 1_234_567, '1234567'],
] as const)('a %s of %d is written as %s', (unit, value, expected) => {
  expect(renderSummary('{value}', unit, { labels: {}, value })).toBe(expected);
});

test('the rules have the configured links', () => {
  const rules = (docsUrl: string) =>
    parse(
      rulesOf(ALERTS.slice(0, 1), {
        links: {
          docsUrl,
          externalUrl: 'https://proxywatch.example/',
          dashboardUrl: 'https://grafana.example/d/1',
        },
      }),
    ).groups[0].rules[0].annotations;
  expect(rules('https://docs.example/proxywatch/')).toMatchObject({
    runbook_url: 'https://docs.example/proxywatch/alerts.html#providerkeysrejected',
    status_page_url: 'https://proxywatch.example/?account={{ $labels.account | urlquery }}#collectors',
    dashboard_url: 'https://grafana.example/d/1',
  });
  expect(rules('https://git.example/docs/alerts.md').runbook_url).toBe(
    'https://git.example/docs/alerts.md#providerkeysrejected',
  );
});
