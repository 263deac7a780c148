// Lists which settings `once` uses. All others must be inert, because it is one run beside a daemon that may be running.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { once, settingsOfOnce } from '../../src/cli/export.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { configText, runCommand } from './run-command.ts';

const NOW = Date.parse('2026-07-10T12:34:56Z');
const PROVIDER = { baseUrl: 'https://provider.example/1.0', publicKey: 'public', privateKey: 'private' };

/** Settings of everything that a daemon does beside polling, with a receiver at `url`. */
const besides = (url: string) => ({
  store: { path: 'data/store.db', backup: { schedule: '* * * * * *', path: 'backups' } },
  alerts: {
    evaluate: true,
    DataStale: { for: '0s' },
    receivers: [
      { type: 'webhook', url, group_wait: '0s' },
      { type: 'alertmanager', urls: [url] },
      { type: 'heartbeat', url, every: '5s' },
    ],
  },
  remote_write: [{ name: 'engine', url, start: '7d' }],
});

const INERT = {
  'store.backup': undefined,
  'alerts.evaluate': false,
  'alerts.receivers': [],
  remote_write: [],
};
/** The settings that `once` uses as they are, or that have no effect without those above and without a server. */
const KEPT = ['server', 'log', 'schedule_time_zone', 'store.retention'];
const REPLACED = ['metrics', 'store.path', 'accounts'];

test('has a decision for every setting', () => {
  const names = Object.keys(settingsSchema.shape).flatMap((name) =>
    name === 'store' ? Object.keys(storeKeys()).map((key) => `store.${key}`) : name,
  );
  const decided = [...Object.keys(INERT).filter((name) => !name.startsWith('alerts.')), 'alerts'];
  expect(names.toSorted()).toEqual([...decided, ...KEPT, ...REPLACED].toSorted());
});

const storeKeys = () => settingsSchema.shape.store.unwrap().shape;

test('has nothing that reaches further than the provider and a temporary store', () => {
  const text = configText(PROVIDER, {}, besides('http://127.0.0.1:9/'));
  const folder = createFolder({ 'config.yaml': text });
  const { config } = loadSettings(join(folder, 'config.yaml'), {});
  const settings = settingsOfOnce(config, '/tmp/once.db');
  for (const [name, value] of Object.entries(INERT)) {
    const [section = '', key] = name.split('.');
    const found = settings[section as keyof typeof settings] as Record<string, unknown>;
    expect([name, key === undefined ? found : found[key]]).toEqual([name, value]);
  }
  expect(settings.store.path).toBe('/tmp/once.db');
});

test('sends nothing and writes no file', async () => {
  await using provider = await startSimulator({
    scenario: { users: 1, proxies: 1, pace: null },
    now: () => NOW,
  });
  await using receiver = await FakeReceiver.start();
  const folder = createFolder({ 'config.yaml': configText(provider, {}, besides(`${receiver.url}/`)) });
  const { code, stdout, stderr } = await runCommand(once, { config: join(folder, 'config.yaml') });
  expect([code, stderr]).toEqual([0, '']);
  expect(receiver.received).toEqual([]);
  expect(stdout).not.toMatch(/^proxywatch_(store_backup|remote_write|notifications)/m);
});
