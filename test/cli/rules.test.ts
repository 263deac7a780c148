// Tests `proxywatch rules`: the committed rules, and the same rules with the links of a configuration.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { rules } from '../../src/cli/export.ts';
import { createFolder } from '../config/support.ts';
import { textOf } from '../docs/documents.ts';
import { configText, runCommand } from './run-command.ts';

/** The command sends no request to this address. */
const PROVIDER = { baseUrl: 'http://127.0.0.1:9/1.0', publicKey: 'public', privateKey: 'private' };

const printed = async (others: Readonly<Record<string, unknown>>): Promise<string> => {
  const folder = createFolder({ 'config.yaml': configText(PROVIDER, {}, others) });
  return (await runCommand(rules, { config: join(folder, 'config.yaml') })).stdout;
};

const DOCS_URL = 'https://git.example/acme/proxywatch/blob/v1.2.3/docs/alerts.md';

test('if the repository is known, every alert links to its documentation there by default', async () => {
  const folder = createFolder({ 'config.yaml': configText(PROVIDER) });
  for (const options of [{}, { config: join(folder, 'config.yaml') }]) {
    const { stdout } = await runCommand(rules, options, undefined, undefined, DOCS_URL);
    const { rules: printedRules } = parse(stdout).groups[0];
    const committed = parse(textOf('prometheus/rules/proxywatch.yml')).groups[0].rules;
    expect(printedRules).toEqual(
      committed.map(({ annotations, ...rule }: { alert: string; annotations: object }) => ({
        ...rule,
        annotations: { ...annotations, runbook_url: `${DOCS_URL}#${rule.alert.toLowerCase()}` },
      })),
    );
  }
});

test('without a configuration it prints the committed rules, which have no links', async () => {
  const { code, stdout } = await runCommand(rules, {});
  expect([code, stdout]).toEqual([0, textOf('prometheus/rules/proxywatch.yml')]);
  expect(stdout).not.toMatch(/_url:/);
});

test('with a configuration every alert has its links', async () => {
  const text = await printed({
    server: { external_url: 'https://proxywatch.example/' },
    alerts: { docs_url: 'https://docs.example/', dashboard_url: 'https://grafana.example/d/1' },
  });
  for (const { alert, annotations } of parse(text).groups[0].rules)
    expect(annotations).toMatchObject({
      runbook_url: `https://docs.example/alerts.html#${alert.toLowerCase()}`,
      status_page_url: expect.stringMatching(
        /^https:\/\/proxywatch\.example\/(?:\?account=\{\{ [^}]* \}\}|$)/,
      ),
      dashboard_url: 'https://grafana.example/d/1',
    });
});

test('the links are the same whichever shard prints the rules', async () => {
  const shards = ['https://a.example/', 'https://b.example/'];
  const folder = createFolder({ 'config.yaml': configText(PROVIDER, {}, { server: { shards } }) });
  const onShard: typeof rules = (context, options) =>
    rules({ ...context, env: { ...context.env, PROXYWATCH_SHARD: '0/2' } }, options);
  const { stdout } = await runCommand(onShard, { config: join(folder, 'config.yaml') });
  expect(stdout).toBe(await printed({ server: { shards } }));
  expect(stdout).not.toContain('status_page_url');
});

test('a configuration without addresses adds no links', async () => {
  expect(await printed({})).toBe((await runCommand(rules, {})).stdout);
});
