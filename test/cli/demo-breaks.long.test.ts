// Tests that each break of the demo fires the alert that it announces, about what is broken and in the announced time, and that
// the repair ends it.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isFiring } from '../../src/alerts/state.ts';
import { type Break, DemoBreaks } from '../../src/cli/demo/breaks.ts';
import { demoSettings } from '../../src/cli/demo/demo-settings.ts';
import { type App, createApp } from '../../src/daemon/app.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { demoScenario, startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { QuickClock } from '../support/harness.ts';

const NOW = '2026-07-10T12:00:00Z';

/** The announced minutes, and those until the next run of the collector and evaluation of the alert. */
const ANNOUNCED: readonly (readonly [Exclude<Break, 'nothing'>, alert: string, minutes: number])[] = [
  ['proxy', 'ProxyFailing', 20],
  ['target', 'ProxyTargetBlocked', 20],
  ['tester', 'ProxyTesterFailing', 20],
  ['provider', 'ProviderUnreachable', 12],
  ['keys', 'ProviderKeysRejected', 5],
];

/** The waits of requests are short here. Together they would be a long step without an evaluation, which is downtime. */
class DemoClock extends QuickClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms < MINUTE ? Math.min(ms, 50) : ms, signal);
  }
}

/** The next two rounds of tests, in minutes. */
const REPAIRED_AFTER = 25;

const startDemo = async (stack: AsyncDisposableStack, clock: QuickClock) => {
  const folder = createFolder({});
  const simulator = stack.use(
    await startSimulator({ scenario: demoScenario, now: () => clock.now(), proxies: {} }),
  );
  const listen = { host: '127.0.0.1', port: 0 };
  const settings = demoSettings(simulator, join(folder, 'proxywatch.db'), listen, join(folder, 'ca.pem'));
  // A probe takes real time.
  const accounts = settings.accounts.map((account) => ({ ...account, probes: false as const }));
  const app = stack.use(
    await createApp({
      ...{ settings: { ...settings, accounts }, clock, log: silentLog, isDurable: false },
      ...{ version: '0.0.0-test', nodeVersion: '24.0.0' },
    }),
  );
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  return { app, breaks: new DemoBreaks(simulator) };
};

const passHalfMinute = async ({ runner, alerting }: App, clock: QuickClock): Promise<void> => {
  clock.advance(MINUTE / 2);
  runner.tick();
  alerting.tick();
  await runner.idle();
  await alerting.idle();
};

/** Returns the subjects of the firing alerts of this name: their labels but the account. */
const subjectsOf = ({ alerting }: App, name: string): string[] =>
  [...alerting.active]
    .filter((alert) => alert.alert === name && isFiring(alert))
    .map(({ labels: { account: _, ...labels } }) => JSON.stringify(labels));

/** Lets time pass until `isDone`, at most so many minutes. */
const minutesUntil = async (app: App, clock: QuickClock, limit: number, isDone: () => boolean) => {
  for (let half = 0; half < 2 * limit && !isDone(); half += 1) await passHalfMinute(app, clock);
};

test('each break fires its alert in time, and the repair ends it', async () => {
  await using stack = new AsyncDisposableStack();
  const clock = new DemoClock(NOW);
  const { app, breaks } = await startDemo(stack, clock);
  await minutesUntil(app, clock, 60, () => false);
  for (const [what, alert, minutes] of ANNOUNCED) {
    const before = subjectsOf(app, alert);
    const fired = () => subjectsOf(app, alert).filter((subject) => !before.includes(subject));
    const announced = breaks.apply(what);
    expect(announced).toMatch(new RegExp(`${alert}( fires)? after`));
    await minutesUntil(app, clock, minutes, () => fired().length > 0);
    expect([what, fired().length]).toEqual([what, 1]);
    for (const subject of Object.values(JSON.parse(fired()[0] ?? ''))) expect(announced).toContain(subject);
    breaks.apply('nothing');
    await minutesUntil(app, clock, REPAIRED_AFTER, () => fired().length === 0);
    expect([what, fired()]).toEqual([what, []]);
  }
}, 600_000);
