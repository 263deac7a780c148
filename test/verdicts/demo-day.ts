// Plays a day of the demo minute by minute: its settings and its simulated account on a driven clock, with a scripted prober.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSettings } from '../../src/cli/demo/demo-settings.ts';
import { probesAccount } from '../../src/collectors/context.ts';
import { type App, createApp } from '../../src/daemon/app.ts';
import { createView } from '../../src/daemon/http-view.ts';
import type { Account } from '../../src/daemon/settings.ts';
import { silentLog } from '../../src/lib/log.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { demoScenario, startSimulator } from '../../src/simulator/simulator.ts';
import type { Fault } from '../../src/store/test-store.ts';
import { QuickClock } from '../support/harness.ts';
import { DemoAccount } from './demo-account.ts';

export interface DemoMinute {
  /** In ms. */
  readonly at: number;
  readonly account: DemoAccount;
  readonly tests: readonly Fault[];
  readonly here: readonly Fault[];
  readonly app: App;
  readonly view: ReturnType<typeof createView>;
}

/** At noon, so that the day has the midnight at which the account loses a proxy. */
const START = Date.parse('2026-07-05T12:00:30Z');
const HISTORY_MS = 30 * DAY;

/** What tests and probes do not need is off, because it takes most of the time. */
const withTestsOnly = (account: Account): Account => ({
  ...account,
  ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  ...{ services: false, catalog: false, quotes: false, geography: false },
});

export const playDemo = async (
  minutes: number,
  judge: (minute: DemoMinute) => Promise<void>,
  change: (account: Account) => Account = withTestsOnly,
): Promise<void> => {
  const clock = new QuickClock(new Date(START).toISOString());
  await using simulator = await startSimulator({
    scenario: { ...demoScenario, start: new Date(START - HISTORY_MS).toISOString() },
    now: () => clock.now(),
    proxies: {},
  });
  const account = new DemoAccount(simulator);
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-demo-day-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, simulator.proxies.ca);
  const listen = { host: '127.0.0.1', port: 0 };
  const settings = demoSettings(simulator, join(folder, 'proxywatch.db'), listen, caFile);
  const accounts = settings.accounts.map((each) => ({ ...change(each), requests_per_second: 1_000 }));
  const app = await createApp({
    ...{ settings: { ...settings, accounts }, clock, log: silentLog },
    ...{ version: '1.2.3', nodeVersion: '24.0.0' },
    probe: async (request) => account.answer(request, clock.now()),
    isDurable: false,
  });
  try {
    for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
    await app.runner.idle();
    const view = createView({ app, clock, version: '1.2.3' });
    for (let minute = 1; minute <= minutes; minute += 1) {
      clock.advance(MINUTE);
      app.runner.tick();
      app.alerting.tick();
      await app.runner.idle();
      await app.alerting.idle();
      await app.maintenance.idle();
      const [tests, here] = [await app.store.tests.faults('demo'), await app.store.tests.faults(HERE)];
      await judge({ at: clock.now(), account, tests, here, app, view });
    }
  } finally {
    await app[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
};

const HERE = probesAccount('demo');
