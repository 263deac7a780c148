// Measures 100,000 alerts that begin and end at once, from the condition to the notifications: node bench/alerts.ts

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountAlert } from '../src/alerts/alert.ts';
import { ALERT_FAMILIES } from '../src/alerts/families.ts';
import type { RunningAccount } from '../src/daemon/account.ts';
import { createAlertView } from '../src/daemon/alert-view.ts';
import { Alerting } from '../src/daemon/alerting.ts';
import { createNoticeView } from '../src/daemon/notices.ts';
import { accountSettings, settingsSchema } from '../src/daemon/settings.ts';
import { type Clock, systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { HOUR, MINUTE, SECOND } from '../src/lib/time.ts';
import { DaemonMetrics } from '../src/metrics/daemon-metrics.ts';
import { Exposition } from '../src/metrics/exposition.ts';
import type { Job } from '../src/schedule/job.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';

const ALERTS = 100_000;
const PAGE = 100;
/** No work may block the event loop for longer than this. */
const MAX_BLOCK_MS = 50;

let isLow = false;

const LOW: AccountAlert = {
  ...{ name: 'Low', scope: 'account', trigger: 'proxy_users', severity: 'warning', holdMs: 10 * SECOND },
  ...{ labels: ['proxy_user_id', 'product_type'], unit: 'count' },
  ...{ meaning: '', consequence: '', checks: ['', ''], condition: '' },
  expression: () => 'vector(1)',
  summary: 'Proxy user {proxy_user_id} of {account} has {value} {product_type} bytes left.',
  async *find() {
    for (let index = 0; isLow && index < ALERTS; index += 1)
      yield { labels: { proxy_user_id: `user-${index}`, product_type: 'mobile' }, value: index };
  },
};

export const alerts = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  let [receivedRequests, advancedMs] = [0, 0];
  const receiver = createServer((request, response) => {
    receivedRequests += 1;
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const clock: Clock = {
    now: () => Date.now() + advancedMs,
    monotonic: () => systemClock.monotonic() + advancedMs,
    sleep: systemClock.sleep,
    deadline: systemClock.deadline,
  };
  try {
    using store = openSqliteStore({ path: join(folder, 'store.db'), firstStepHoldMs: 0, clock });
    const settings = settingsSchema.parse({
      alerts: { receivers: [{ type: 'webhook', url: `http://127.0.0.1:${port}` }] },
      accounts: [
        { name: 'main', base_url: 'https://api.example.com/1.0', public_key: 'a', private_key: 'b' },
      ],
    });
    const metrics = new DaemonMetrics({ version: '0', nodeVersion: '24' });
    const running = settings.accounts.map((account) => ({
      ...{ name: account.name, settings: account, context: accountSettings(account, settings), jobs: [] },
      client: { pace: { waiting: 0, limitPerSecond: 8, configuredPerSecond: 8 } },
    })) as unknown as RunningAccount[];
    const create = (): Alerting =>
      new Alerting({
        ...{ alerts: [LOW], holdScale: 1, store, clock, log: silentLog, metrics, userAgent: 'bench' },
        ...{ exposition: new Exposition(ALERT_FAMILIES, metrics), runner: { runsInProgress: () => [] } },
        accounts: () => running,
      });
    await using alerting = create();
    await alerting.start(settings);
    const run = async (): Promise<void> => {
      await alerting.afterRun({ account: 'main', collector: 'proxy_users' } as Job, 'ok');
      await alerting.idle();
    };
    const advance = async (ms: number): Promise<void> => {
      advancedMs += ms;
      alerting.tick();
      await alerting.idle();
    };
    isLow = true;
    await measure('become pending', run);
    await measure('begin to fire', () => advance(15 * SECOND));
    await measure('are told to a receiver', () => advance(30 * SECOND));
    await measure('are repeated', () => advance(4 * HOUR));
    await measure('go on firing', run);
    await measure('are loaded at a start', async () => {
      await using restarted = create();
      await restarted.start(settings);
      await restarted.idle();
    });
    await measure(`are shown, the first ${PAGE} of them`, async () => {
      const view = createAlertView(alerting);
      for (const { id } of [...view.items('main')].slice(0, PAGE)) view.find('main', id);
    });
    await measure(`are explained, ${PAGE} of them`, async () => {
      const app = { alerting, accounts: running, settings } as unknown as Parameters<
        typeof createNoticeView
      >[0];
      const query = createNoticeView(app, [LOW]).find({ alert: LOW.name, accounts: [], subject: null });
      if ('refusal' in query) throw new Error(query.refusal);
      const page = await query.list('main', null, PAGE);
      for (const { read } of page) await read();
      await query.count();
    });
    isLow = false;
    await measure('end', run);
    await measure('are told to have ended', () => advance(5 * MINUTE));
    await measure('are forgotten', () => advance(HOUR));
    await measure(`are in the history, the newest ${PAGE} of them`, async () => {
      await store.alertHistory.page({}, PAGE);
    });
    await measure('are in the history, one subject of them', async () => {
      const [episode] = await store.alertHistory.page({ subject: 'user-0' }, PAGE);
      if (episode?.notified[0]?.resolvedAt == null) throw new Error('the history is incomplete');
    });
    console.log(`notifications: ${receivedRequests}`);
  } finally {
    receiver.close();
    rmSync(folder, { recursive: true });
  }
};

const measure = async (what: string, work: () => Promise<void>): Promise<void> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startedAt = performance.now();
  let [isGoing, longest] = [true, 0];
  delay.enable();
  const watching = (async () => {
    for (let last = cpuMs(); isGoing; last = cpuMs()) {
      await nextTurn();
      longest = Math.max(longest, cpuMs() - last);
    }
  })();
  await work();
  isGoing = false;
  await watching;
  delay.disable();
  const bound = longest > MAX_BLOCK_MS ? `, above ${MAX_BLOCK_MS} ms` : '';
  console.log(
    `${ALERTS} alerts ${what}: ${ms(performance.now() - startedAt)}, event loop blocked for ${ms(delay.max / 1e6)} at most, by work of its own for ${ms(longest)}${bound}`,
  );
};

/** Returns the CPU time of the event loop's thread (ms), which does not depend on other load of the machine. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const ms = (value: number): string => `${value.toFixed(1)} ms`;

if (import.meta.main) await alerts();
