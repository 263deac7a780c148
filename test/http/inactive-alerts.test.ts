// Tests what the page of an alert says about the answers of a daemon without an active alert: the page says that no
// alert is active only if the daemon has evaluated the alert.

import { expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { Notices } from '../../src/page/answers.ts';
import { activeAlerts, inactiveList } from '../../src/page/views/alert-history.ts';
import { Harness } from '../support/harness.ts';

const NONE_ACTIVE = 'No such alert is firing or pending.';

const textOf = (markup: { toString(): string }): string =>
  markup
    .toString()
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

it.each([
  [
    'that is evaluated',
    'StoreFailing',
    {},
    MINUTE,
    NONE_ACTIVE,
    'the condition of the alert does not hold now',
  ],
  ['before its first evaluation', 'StoreFailing', {}, 0, '', 'has not evaluated its alerts'],
  ['while evaluation is off', 'StoreFailing', { evaluate: false }, MINUTE, '', 'alerts.evaluate is false'],
  [
    'that only Prometheus evaluates',
    'ProxywatchDown',
    {},
    MINUTE,
    '',
    'only Prometheus evaluates this alert',
  ],
  ['whose collector is off', 'ServicePaused', {}, MINUTE, '', 'main: the alert needs the collector services'],
  [
    'that is off',
    'DataStale',
    { DataStale: { enabled: false } },
    MINUTE,
    '',
    'main: the alert is turned off',
  ],
])('the page of an alert %s', async (_, alert, settings, runMs, active, reason) => {
  await using daemon = await Harness.build({
    now: '2026-07-05T12:01:30Z',
    scenario: { users: 3 },
    alerts: { evaluate: true, ...settings },
    account: { traffic: { catch_up: '1h', graphs: [] }, reconciliation: false },
  });
  if (runMs > 0) await daemon.advance(runMs);
  await using server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    view: createView({ app: daemon.app, clock: daemon.clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    ...{ clock: daemon.clock, log: silentLog },
  });
  const url = `http://127.0.0.1:${server.address.port}/api/v1/alerts/notices?alert=${alert}`;
  const notices = (await (await fetch(url)).json()) as Notices;
  expect(textOf(activeAlerts(notices, daemon.clock.now()))).toBe(active);
  const why = textOf(inactiveList(notices));
  expect(why).toMatch(/^Why no alert is shown /);
  expect(why).toContain(reason);
});
