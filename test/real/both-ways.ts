// One daemon whose alerts are evaluated twice at once: by a real Prometheus that scrapes it, and by itself for a webhook.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { rulesOf } from '../../src/alerts/rules.ts';
import { isFiring } from '../../src/alerts/state.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { type App, createApp } from '../../src/daemon/app.ts';
import { serve } from '../../src/daemon/serve.ts';
import { type Settings, settingsSchema } from '../../src/daemon/settings.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';
import { until } from '../cli/program.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { freePort, type Prometheus, startPrometheus } from './prometheus-server.ts';

/** Holds are as much shorter, in the rules as in the daemon. */
const HOLD_SCALE = 1 / 100;
const POLL_MS = 100;
/** What takes longer never comes, on however busy a machine. */
const LONGEST_WAIT_MS = 90_000;

const OPTIONS = { clock: systemClock, log: silentLog, version: '0.0.0-test', nodeVersion: '24.0.0' };

export class LateClock implements Clock {
  lateMs: number;
  readonly monotonic = systemClock.monotonic;
  readonly sleep = systemClock.sleep;

  constructor(lateMs: number) {
    this.lateMs = lateMs;
  }

  readonly now = (): number => Date.now() - this.lateMs;
}

export class BothWays implements AsyncDisposable {
  readonly #folder: string;
  readonly #settings: Settings;
  readonly #receiver: FakeReceiver;
  readonly #prometheus: Prometheus;
  #daemon: Daemon;

  private constructor(
    folder: string,
    settings: Settings,
    receiver: FakeReceiver,
    prometheus: Prometheus,
    daemon: Daemon,
  ) {
    this.#folder = folder;
    this.#settings = settings;
    this.#receiver = receiver;
    this.#prometheus = prometheus;
    this.#daemon = daemon;
  }

  /** Everything was polled once before, as long ago as the clock is late: from then on it goes right. */
  static async start(accounts: readonly Record<string, unknown>[], clock: LateClock): Promise<BothWays> {
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-agreement-'));
    const receiver = await FakeReceiver.start();
    const target = `127.0.0.1:${await freePort()}`;
    const settings = settingsSchema.parse({
      server: { listen: target },
      store: { path: join(folder, 'proxywatch.db') },
      alerts: { evaluate: true, receivers: [{ type: 'webhook', url: receiver.url }] },
      accounts,
    });
    await runOnce(settings, clock);
    clock.lateMs = 0;
    const daemon = await startDaemon(settings);
    const rules = join(folder, 'rules.yml');
    await writeFile(rules, rulesOf(ALERTS, { holdScale: HOLD_SCALE }));
    const prometheus = await startPrometheus({ targets: [target], rules });
    await until(async () => (await prometheus.query('up == 1')).length > 0);
    return new BothWays(folder, settings, receiver, prometheus, daemon);
  }

  /** Waits until exactly these alerts fire in both ways, and the webhook knows of no others. Throws where they never do. */
  async untilFiring(expected: readonly string[]): Promise<void> {
    const wanted = JSON.stringify(expected.toSorted());
    const began = performance.now();
    for (;;) {
      const views = await this.#views();
      if (Object.values(views).every((view) => JSON.stringify(view) === wanted)) return;
      if (performance.now() - began > LONGEST_WAIT_MS)
        throw new Error(JSON.stringify({ expected, ...views }, undefined, 1));
      await delay(POLL_MS);
    }
  }

  async #views(): Promise<Record<'prometheus' | 'daemon' | 'webhook', string[]>> {
    const held = (await this.#prometheus.alerts()).filter(({ state }) => state === 'firing');
    const own = [...this.#daemon.app.alerting.active].filter(isFiring);
    return {
      prometheus: held.map(({ labels }) => nameOfHeld(labels)).toSorted(),
      daemon: own.map(nameOfOwn).toSorted(),
      webhook: this.#told(),
    };
  }

  /** What fires by all that the webhook was told. */
  #told(): string[] {
    const firing = new Set<string>();
    for (const { status, name } of this.notices)
      if (status === 'firing') firing.add(name);
      else firing.delete(name);
    return [...firing].toSorted();
  }

  /** All that the webhook was told, in turn. */
  get notices(): { readonly status: string; readonly name: string }[] {
    return this.#receiver.taken.flatMap(({ body }) => {
      const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: Record<string, string> }[] };
      return alerts.map(({ status, labels }) => ({ status, name: nameOf(labels) }));
    });
  }

  /** All that ever fired in Prometheus. */
  async everFired(): Promise<string[]> {
    const series = await this.#prometheus.series('ALERTS{alertstate="firing"}[1h]');
    return series.map(({ labels: { __name__, alertstate, ...labels } }) => nameOfHeld(labels)).toSorted();
  }

  /** Since when what is pending or fires is true, by each. */
  async since(): Promise<Record<'prometheus' | 'daemon', string[]>> {
    const [held, own] = [await this.#prometheus.alerts(), [...this.#daemon.app.alerting.active]];
    return {
      prometheus: held.map(({ labels, activeAt }) => `${nameOfHeld(labels)} ${activeAt}`).toSorted(),
      daemon: own.map((alert) => `${nameOfOwn(alert)} ${alert.since} ${alert.firingSince}`).toSorted(),
    };
  }

  /** Starts the daemon again, between two scrapes; tells whether that was so. */
  async restart(): Promise<boolean> {
    await this.#nextScrape();
    await this.#daemon[Symbol.asyncDispose]();
    this.#daemon = await startDaemon(this.#settings);
    await this.#nextScrape();
    const [lowest] = await this.#prometheus.query('min_over_time(up[3s])');
    return lowest?.value === 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prometheus[Symbol.asyncDispose]();
    await this.#daemon[Symbol.asyncDispose]();
    await this.#receiver[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }

  async #nextScrape(): Promise<void> {
    const newest = async () => (await this.#prometheus.query('timestamp(up)'))[0]?.value ?? 0;
    const last = await newest();
    while ((await newest()) <= last) await delay(10);
  }
}

interface Daemon extends AsyncDisposable {
  readonly app: App;
}

const startDaemon = async (settings: Settings): Promise<Daemon> => {
  const app = await createApp({ ...OPTIONS, settings, holdScale: HOLD_SCALE });
  const ending = new AbortController();
  const serving = serve({ ...OPTIONS, app, settings, signal: ending.signal });
  return {
    app,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await serving;
      await app[Symbol.asyncDispose]();
    },
  };
};

const runOnce = async (settings: Settings, clock: Clock): Promise<void> => {
  await using app = await createApp({ ...OPTIONS, clock, settings, holdScale: HOLD_SCALE });
  for (const { jobs } of app.accounts) for (const job of jobs) await app.runner.add(job);
  await app.runner.idle();
};

const nameOfOwn = ({ account, alert, severity, labels }: StoredAlert): string =>
  nameOf({ alertname: alert, severity, ...(account !== '' && { account }), ...labels });

/** Prometheus says of alerts about a daemon which one that is; the daemon does not say it of itself. */
const nameOfHeld = ({ instance, ...labels }: Readonly<Record<string, string>>): string => nameOf(labels);

/** Such as `ProxyFailing warning account=main proxy_id=p1`. */
const nameOf = ({ alertname, severity, ...labels }: Readonly<Record<string, string>>): string =>
  [
    alertname,
    severity,
    ...Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .toSorted(),
  ].join(' ');
