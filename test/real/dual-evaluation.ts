// Runs one daemon whose alerts are evaluated both by a real Prometheus that scrapes it and by itself for a webhook.

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
import { waitUntil } from '../cli/program.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { freeAddress } from '../support/free-port.ts';
import { type Prometheus, startPrometheus } from './prometheus-server.ts';

/** Factor by which holds are shortened, in the rules and in the daemon. */
const HOLD_SCALE = 1 / 100;
const CHECK_EVERY_MS = 100;
/** Even on a busy machine, an alert that takes longer than this will not come. */
const MAX_WAIT_MS = 90_000;

const OPTIONS = { clock: systemClock, log: silentLog, version: '0.0.0-test', nodeVersion: '24.0.0' };

export class DelayedClock implements Clock {
  delayMs: number;
  readonly monotonic = systemClock.monotonic;
  readonly sleep = systemClock.sleep;
  readonly deadline = systemClock.deadline;

  constructor(delayMs: number) {
    this.delayMs = delayMs;
  }

  readonly now = (): number => Date.now() - this.delayMs;
}

export class DualEvaluation implements AsyncDisposable {
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

  /** Polls everything once with the delayed clock, so in the past. Then sets the delay to 0 and starts the daemon. */
  static async start(
    accounts: readonly Record<string, unknown>[],
    clock: DelayedClock,
  ): Promise<DualEvaluation> {
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-agreement-'));
    const receiver = await FakeReceiver.start();
    const target = await freeAddress();
    const settings = settingsSchema.parse({
      server: { listen: target },
      store: { path: join(folder, 'proxywatch.db') },
      alerts: { evaluate: true, receivers: [{ type: 'webhook', url: receiver.url, ...UNGROUPED }] },
      accounts,
    });
    await runOnce(settings, clock);
    clock.delayMs = 0;
    const daemon = await startDaemon(settings);
    const rules = join(folder, 'rules.yml');
    await writeFile(rules, rulesOf(ALERTS, { holdScale: HOLD_SCALE }));
    const prometheus = await startPrometheus({ targets: [target], rules });
    await waitUntil(async () => (await prometheus.query('up == 1')).length > 0);
    return new DualEvaluation(folder, settings, receiver, prometheus, daemon);
  }

  /** Waits until exactly these alerts fire in Prometheus, the daemon and the webhook. Throws after MAX_WAIT_MS. */
  async waitUntilFiring(expected: readonly string[]): Promise<void> {
    const expectedText = JSON.stringify(expected.toSorted());
    const began = performance.now();
    for (;;) {
      const views = await this.#views();
      if (Object.values(views).every((view) => JSON.stringify(view) === expectedText)) return;
      if (performance.now() - began > MAX_WAIT_MS)
        throw new Error(JSON.stringify({ expected, ...views }, undefined, 1));
      await delay(CHECK_EVERY_MS);
    }
  }

  /** Waits until the webhook was notified once that each of these alerts has risen. */
  async waitUntilRisen(expected: readonly string[]): Promise<void> {
    const began = performance.now();
    const risen = (): string[] =>
      this.notifications.filter(({ status }) => status === 'risen').map(({ name }) => name);
    while (JSON.stringify(risen().toSorted()) !== JSON.stringify(expected.toSorted())) {
      if (performance.now() - began > MAX_WAIT_MS)
        throw new Error(JSON.stringify({ expected, risen: risen() }));
      await delay(CHECK_EVERY_MS);
    }
  }

  async #views(): Promise<Record<'prometheus' | 'daemon' | 'webhook', string[]>> {
    const prometheusAlerts = (await this.#prometheus.alerts()).filter(({ state }) => state === 'firing');
    const daemonAlerts = [...this.#daemon.app.alerting.active].filter(isFiring);
    return {
      prometheus: prometheusAlerts.map(({ labels }) => nameOfPrometheusAlert(labels)).toSorted(),
      daemon: daemonAlerts.map(nameOfDaemonAlert).toSorted(),
      webhook: this.#webhookAlerts(),
    };
  }

  /** Returns the alerts that fire according to the webhook's notifications. */
  #webhookAlerts(): string[] {
    const firing = new Set<string>();
    for (const { status, name } of this.notifications)
      if (status === 'firing') firing.add(name);
      else if (status === 'resolved') firing.delete(name);
    return [...firing].toSorted();
  }

  /** All alerts of the webhook's notifications in the order of their arrival; `risen` if they passed another step. */
  get notifications(): { readonly status: string; readonly name: string }[] {
    return this.#receiver.accepted.flatMap(({ body }) => {
      const { alerts, added, risen, resolved } = JSON.parse(body) as {
        readonly alerts: readonly { status: string; labels: Record<string, string> }[];
        readonly added: number;
        readonly risen: number;
        readonly resolved: number;
      };
      return alerts.slice(0, added + risen + resolved).map(({ status, labels }, index) => ({
        status: index >= added && index < added + risen ? 'risen' : status,
        name: nameOf(labels),
      }));
    });
  }

  /** Returns all alerts that ever fired in Prometheus. */
  async everFired(): Promise<string[]> {
    const series = await this.#prometheus.series('ALERTS{alertstate="firing"}[1h]');
    return series
      .map(({ labels: { __name__, alertstate, ...labels } }) => nameOfPrometheusAlert(labels))
      .toSorted();
  }

  /** Returns since when each pending or firing alert is active, in Prometheus and in the daemon. */
  async startTimes(): Promise<Record<'prometheus' | 'daemon', string[]>> {
    const [prometheusAlerts, daemonAlerts] = [
      await this.#prometheus.alerts(),
      [...this.#daemon.app.alerting.active],
    ];
    return {
      prometheus: prometheusAlerts
        .map(({ labels, activeAt }) => `${nameOfPrometheusAlert(labels)} ${activeAt}`)
        .toSorted(),
      daemon: daemonAlerts
        .map((alert) => `${nameOfDaemonAlert(alert)} ${alert.since} ${alert.firingSince}`)
        .toSorted(),
    };
  }

  /** Restarts the daemon between two scrapes. Returns whether no scrape failed meanwhile. */
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

const nameOfDaemonAlert = ({ account, alert, severity, labels }: StoredAlert): string =>
  nameOf({ alertname: alert, severity, ...(account !== '' && { account }), ...labels });

/** Drops the label `instance`, which only Prometheus adds to alerts about a daemon. */
const nameOfPrometheusAlert = ({ instance, ...labels }: Readonly<Record<string, string>>): string =>
  nameOf(labels);

/** Formats an alert, for example `ProxyFailing warning account=main proxy_id=p1`. */
const nameOf = ({ alertname, severity, ...labels }: Readonly<Record<string, string>>): string =>
  [
    alertname,
    severity,
    ...Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .toSorted(),
  ].join(' ');
