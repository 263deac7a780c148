// Tests with jsonnet and promtool that the mixin has the committed rules and dashboards, however it is installed.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocksIn, ROOT, textOf } from '../../docs/documents.ts';
import { describeWith } from '../with-programs.ts';
import {
  COMMITTED,
  DASHBOARDS,
  evaluate,
  install,
  MIXIN,
  README,
  RULES,
  type Rule,
  render,
  run,
  SAMPLE,
} from './rendered.ts';

const RECORDING_RULES = parse(textOf('prometheus/history-rules/proxywatch-history.yml'));

describeWith(['jsonnet', 'promtool'], 'the mixin', () => {
  test('has the committed rules by default', async () => {
    expect(await render('prometheusAlerts')).toEqual(COMMITTED);
    expect(await render('prometheusRules')).toEqual(RECORDING_RULES);
  });

  test('has the committed dashboards by default', async () => {
    const committed = [...DASHBOARDS].map(([name, text]) => [name, JSON.parse(text)]);
    expect(await render('grafanaDashboards')).toEqual(Object.fromEntries(committed));
  });

  test('the commands of its README write all files, and promtool accepts the rules', async () => {
    const folder = install();
    writeFileSync(join(folder, 'mixin.libsonnet'), SAMPLE);
    const commands = codeBlocksIn(README)
      .map(({ text }) => text)
      .filter((text) => /^(jsonnet|promtool) /m.test(text));
    const output = await run(folder, 'bash', '-ec', commands.join('\n'));
    expect(output.match(/SUCCESS: \d+/g)).toEqual([`SUCCESS: ${RULES.length}`, 'SUCCESS: 8']);
    expect(readdirSync(join(folder, 'dashboards_out'))).toEqual([...DASHBOARDS.keys()]);
    const [{ rules }] = parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')).groups;
    const { labels, annotations } = rules.find(({ alert }: Rule) => alert === 'DataStale');
    expect(labels).toEqual({ severity: 'critical', team: 'data' });
    expect(annotations.runbook_url).toBe('https://docs.example.com/proxywatch/alerts.html#datastale');
  });

  test('its alerts fire in Prometheus as the committed alerts do', async () => {
    const folder = install();
    writeFileSync(join(folder, 'alerts.json'), JSON.stringify(await render('prometheusAlerts')));
    const tests = textOf('prometheus/tests/catalog.yml').replace('../rules/proxywatch.yml', 'alerts.json');
    writeFileSync(join(folder, 'tests.yml'), tests);
    expect(await run(folder, 'promtool', 'test', 'rules', 'tests.yml')).toContain('SUCCESS');
  });

  test('has the alerts and rules even if only its folder is installed', async () => {
    const folder = install('prometheus/mixin');
    expect(await evaluate(`${MIXIN}.prometheusAlerts`, folder)).toEqual(COMMITTED);
    expect(await evaluate(`${MIXIN}.prometheusRules`, folder)).toEqual(RECORDING_RULES);
    await expect(evaluate(`${MIXIN}.grafanaDashboards`, folder)).rejects.toThrow("couldn't open import");
  });

  test('adds its alerts to those of another mixin', async () => {
    const other = "{ prometheusAlerts+:: { groups+: [{ name: 'other', rules: [] }] } }";
    const { groups } = await evaluate(`(${other} + ${MIXIN}).prometheusAlerts`);
    expect(groups).toEqual([{ name: 'other', rules: [] }, ...COMMITTED.groups]);
  });

  test('is formatted', async () => {
    const folder = join(ROOT, 'prometheus/mixin');
    const files = readdirSync(folder).filter((name) => name.endsWith('.libsonnet'));
    expect(files).toContain('mixin.libsonnet');
    for (const file of files) await run(folder, 'jsonnetfmt', '--test', file);
  });
});
