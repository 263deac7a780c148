// Tests with promtool that Prometheus and the daemon write the same links for the same labels.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { labelsInQuery, labelTemplates, linksOf } from '../../src/alerts/annotations.ts';
import { VIEWS_BY_LABEL } from '../../src/page/address.ts';
import { createFolder } from '../config/support.ts';
import { describeWith } from './with-programs.ts';

const SETTINGS = { externalUrl: 'https://proxywatch.example/' };
const IDS = ['user-000000', 'a b', "!'()*~", '@everyone #x <b> & {{ "x" }} %41', 'ü 語 😀', '/?=+;:$,[]'];

const CASES = Object.keys(VIEWS_BY_LABEL).flatMap((label) =>
  IDS.map((id, index) => ({
    name: `${label}_${index}`,
    labels: { account: 'main', [label]: id, product_type: 'mobile' },
  })),
);

const rules = CASES.map(({ name, labels }) => ({
  alert: name,
  expr: `subject{id="${name}"}`,
  annotations: linksOf(name, SETTINGS, labelTemplates(Object.keys(labels))),
}));

const tests = CASES.map(({ name, labels }) => ({
  input_series: [
    {
      series: `subject{id="${name}",${Object.entries(labels)
        .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
        .join(',')}}`,
      values: '1',
    },
  ],
  alert_rule_test: [
    {
      ...{ eval_time: '0m', alertname: name },
      exp_alerts: [
        {
          exp_labels: { ...labels, id: name },
          exp_annotations: linksOf(name, SETTINGS, labelsInQuery(labels)),
        },
      ],
    },
  ],
}));

describeWith(['promtool'], 'Prometheus and the daemon', () => {
  test('write the same links', async () => {
    const folder = createFolder({
      'rules.yml': JSON.stringify({ groups: [{ name: 'links', rules }] }),
      'tests.yml': JSON.stringify({ rule_files: ['rules.yml'], tests }),
    });
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', join(folder, 'tests.yml')]);
    expect(stdout).toContain('SUCCESS');
  });
});
