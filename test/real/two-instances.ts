// Rewrites the tests of rules as if two daemons monitored the same account and two jobs scraped one of them.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { ALERTS } from '../../src/alerts/table.ts';

/** The instance in the tests of alerts about a daemon. */
const FIRST = 'a:9876';
const INSTANCES = [FIRST, 'b:9876'];
const TARGETS = [...INSTANCES.map((instance) => ({ instance })), { instance: FIRST, job: 'twice' }];

interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts: unknown[];
}

interface RuleTests {
  readonly rule_files: string[];
  readonly tests: {
    input_series: { series: string; values: string }[];
    /** Missing in tests of pushed history, which has no instance. */
    alert_rule_test?: AlertTest[];
  }[];
}

/** Returns the file's tests with the same expectations but every series three times. */
export const withTwoInstances = (file: string): string => {
  const { rule_files, tests, ...rest } = parse(readFileSync(file, 'utf8')) as RuleTests;
  return JSON.stringify({
    ...rest,
    rule_files: rule_files.map((path) => resolve('prometheus/tests', path)),
    tests: tests.map((test) =>
      test.alert_rule_test === undefined ? test : ofInstances(test, test.alert_rule_test),
    ),
  });
};

const ofInstances = (test: RuleTests['tests'][number], alerts: readonly AlertTest[]) => ({
  ...test,
  input_series: test.input_series.flatMap((each) =>
    each.series.startsWith('up{') ? [each] : TARGETS.map((target) => ofTarget(each, target)),
  ),
  alert_rule_test: alerts.map((each) => ({
    ...each,
    exp_alerts: isOfDaemon(each.alertname) ? each.exp_alerts.flatMap(ofEach) : each.exp_alerts,
  })),
});

const ofTarget = (
  { series, values }: { readonly series: string; readonly values: string },
  target: Readonly<Record<string, string>>,
) => {
  const [, name = '', inner = ''] = /^([^{]+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const own = inner.split(/,\s*(?=\w+=")/).filter((label) => label !== '' && !label.startsWith('instance='));
  const labels = [...own, ...Object.entries(target).map(([label, value]) => `${label}="${value}"`)];
  return { series: `${name}{${labels.join(', ')}}`, values };
};

const isOfDaemon = (name: string): boolean =>
  ALERTS.some((alert) => alert.name === name && alert.scope === 'daemon');

const ofEach = (expected: unknown): unknown[] =>
  INSTANCES.map((instance) => JSON.parse(JSON.stringify(expected).replaceAll(FIRST, instance)));
