// Tests with promtool that Prometheus and the daemon write the same summary for the same value and labels.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Unit } from '../../src/alerts/alert.ts';
import { renderSummary, summaryTemplate } from '../../src/alerts/summary.ts';
import { createFolder } from '../config/support.ts';
import { describeWith } from './with-programs.ts';

const SUMMARY = 'account {account}[, graph {graph},] stands at {value}.';
const between = (min: number, max: number) =>
  fc.sample(fc.double({ min, max, noNaN: true }), { numRuns: 40, seed: 1 });

/** By unit: values between two units, halves that must be rounded the same way, and random values. */
const VALUES: Readonly<Record<Exclude<Unit, 'none'>, readonly number[]>> = {
  ratio: [0, 0.125, 0.375, 0.135, 0.995, 0.999, 1, 1.25, 12.5, ...between(0.0001, 2)],
  seconds: [
    0,
    0.5,
    1.5,
    59.6,
    60,
    660,
    3_600,
    3_661,
    86_399,
    86_460,
    -300,
    ...between(-90_000, -1),
    ...between(0, 1e7),
  ],
  bytes: [0, 1, 995, 999, 1_000, 1.25e9, 999_999_999, -1.25e6, ...between(1e3, 1e15)],
  timestamp: [0, 60, 1_772_366_400.9, ...between(0, 4e9)],
  count: [0, 1, 2.5, 1e6, 123_456_789, ...between(0, 1e6)],
};

const CASES = Object.entries(VALUES).flatMap(([unit, values]) =>
  values.map((value, index) => ({
    name: `${unit}${index}`,
    unit: unit as Unit,
    value,
    labels: { account: 'main', ...(index % 2 === 0 && { graph: 'shop' }) },
  })),
);

const rules = CASES.map(({ name, unit, value, labels }) => ({
  alert: name,
  // A summary sees the labels of the expression, not those of the rule.
  expr: Object.entries(labels).reduce(
    (vector, [label, text]) => `label_replace(${vector}, "${label}", "${text}", "", "")`,
    `vector(${value})`,
  ),
  annotations: { summary: summaryTemplate(SUMMARY, unit) },
}));

const tests = CASES.map(({ name, unit, value, labels }) => ({
  eval_time: '0m',
  alertname: name,
  exp_alerts: [
    { exp_labels: labels, exp_annotations: { summary: renderSummary(SUMMARY, unit, { labels, value }) } },
  ],
}));

describeWith(['promtool'], 'Prometheus and the daemon', () => {
  test('write the same summaries', async () => {
    const folder = createFolder({
      'rules.yml': JSON.stringify({ groups: [{ name: 'summaries', rules }] }),
      'tests.yml': JSON.stringify({
        rule_files: ['rules.yml'],
        tests: [{ input_series: [], alert_rule_test: tests }],
      }),
    });
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', join(folder, 'tests.yml')]);
    expect(stdout).toContain('SUCCESS');
  });
});
