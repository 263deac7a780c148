// Measures 100,000 alerts that begin and end at once, from the condition to the notifications.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { type Bench, printCost, temporaryFolder } from './harness.ts';

const ALERTS = 100_000;
const PAGE = 100;

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

export const alerts: Bench = async () => {
  using folder = temporaryFolder();
  let [receivedRequests, advancedMs] = [0, 0];
  await using receiver = createServer((request, response) => {
    receivedRequests += 1;
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const clock: Clock = {
    ...systemClock,
    now: () => Date.now() + advancedMs,
    monotonic: () => systemClock.monotonic() + advancedMs,
  };
  using store = openSqliteStore({ path: `${folder.path}/store.db`, firstStepHoldMs: 0, clock });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const keys = { base_url: 'https://api.example.com/1.0', public_key: 'a', private_key: 'b' };
  const settings = settingsSchema.parse({
    alerts: { receivers: [{ type: 'webhook', url }] },
    accounts: [{ name: 'main', ...keys }],
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
  const after = (ms: number) => async (): Promise<void> => {
    advancedMs += ms;
    alerting.tick();
    await alerting.idle();
  };
  const restart = async (): Promise<void> => {
    await using restarted = create();
    await restarted.start(settings);
    await restarted.idle();
  };
  const show = async (): Promise<void> => {
    const view = createAlertView(alerting);
    for (const { id } of [...view.items('main')].slice(0, PAGE)) view.find('main', id);
  };
  const explain = async (): Promise<void> => {
    const app = { alerting, accounts: running, settings } as unknown as Parameters<
      typeof createNoticeView
    >[0];
    const query = createNoticeView(app, [LOW]).find({ alert: LOW.name, accounts: [], subject: null });
    if ('refusal' in query) throw new Error(query.refusal);
    for (const { read } of await query.list('main', null, PAGE)) await read();
    await query.count();
  };
  const findOne = async (): Promise<void> => {
    const [episode] = await store.alertHistory.page({ subject: 'user-0' }, PAGE);
    if (episode?.notified[0]?.resolvedAt == null) throw new Error('the history is incomplete');
  };
  const measure = async (cases: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> => {
    for (const [what, work] of Object.entries(cases)) await printCost(`${ALERTS} alerts ${what}`, work);
  };
  isLow = true;
  await measure({
    'become pending': run,
    'begin to fire': after(15 * SECOND),
    'are notified of': after(30 * SECOND),
    'are repeated': after(4 * HOUR),
    'go on firing': run,
    'are loaded at a start': restart,
    [`are shown, the first ${PAGE} of them`]: show,
    [`are explained, ${PAGE} of them`]: explain,
  });
  isLow = false;
  await measure({
    end: run,
    'are notified of as resolved': after(5 * MINUTE),
    'are forgotten': after(HOUR),
    [`are in the history, the newest ${PAGE} of them`]: () => store.alertHistory.page({}, PAGE),
    'are in the history, one subject of them': findOne,
  });
  console.log(`notifications: ${receivedRequests}`);
  return undefined;
};
