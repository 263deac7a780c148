// Tests the alert rules with promtool of each version: their syntax, and series that make each alert pend, fire and resolve.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { engines } from './engines.ts';
import { describeWith } from './with-programs.ts';

const FILES = readdirSync('prometheus/tests').map((name) => `prometheus/tests/${name}`);

describe.each(engines('promtool'))('$name', ({ path }) => {
  const promtool = (args: string[]) => promisify(execFile)(path, args);

  describeWith([path], 'promtool', () => {
    test('finds nothing wrong with the rules', async () => {
      const { stdout } = await promtool(['check', 'rules', 'prometheus/rules/proxywatch.yml']);
      expect(stdout).toContain(`SUCCESS: ${ALERTS.length} rules found`);
    });

    test('finds nothing wrong with the recording rules', async () => {
      const { stdout } = await promtool([
        'check',
        'rules',
        'prometheus/history-rules/proxywatch-history.yml',
      ]);
      expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
    });

    test.each(FILES)('%s passes', async (file) => {
      const { stdout } = await promtool(['test', 'rules', file]);
      expect(stdout).toContain('SUCCESS');
    });

    test('fails if a rule does not fire', async () => {
      await expect(promtool(['test', 'rules', 'test/fixtures/rules/wrong.yml'])).rejects.toThrow('FAILED');
    });
  });
});

test('every alert fires and resolves in a test of rules', () => {
  const tests = FILES.map((file) => readFileSync(file, 'utf8')).join('\n');
  const cases = tests.split(/(?=alertname: )/).slice(1);
  const isTested = (name: string, what: RegExp) =>
    cases.some((each) => new RegExp(`^alertname: ${name}\\b`).test(each) && what.test(each));
  const untested = ALERTS.filter(
    ({ name }) => !isTested(name, /exp_alerts:\s*\n?\s*- /) || !isTested(name, /exp_alerts: \[\]/),
  );
  expect(untested.map(({ name }) => name)).toEqual([]);
});
