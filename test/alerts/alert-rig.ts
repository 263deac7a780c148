// Runs the daemon's evaluation of alerts without polling: with conditions that tests control, a real store and real HTTP.

import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AccountAlert, Alert, Finding } from '../../src/alerts/alert.ts';
import { ALERT_FAMILIES } from '../../src/alerts/families.ts';
import type { RunningAccount } from '../../src/daemon/account.ts';
import { Alerting } from '../../src/daemon/alerting.ts';
import { accountSettings, type Settings, settingsSchema } from '../../src/daemon/settings.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import type { Job, RunInProgress } from '../../src/schedule/job.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createFolder } from '../config/support.ts';
import { writeEmptyStore } from '../support/empty-store.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { parseSamples } from '../support/harness.ts';

export const START = Date.parse('2026-07-06T12:00:00Z');

/** Creates an alert whose condition holds for the subjects that the test sets. */
export const alertNamed = (name: string, part: Partial<AccountAlert> = {}): TestAlert => {
  const subjects = new Map<string, number>();
  return {
    name,
    scope: 'account',
    trigger: 'traffic',
    severity: 'warning',
    holdMs: 0,
    labels: ['subject'],
    unit: 'count',
    expression: () => 'vector(1)',
    summary: '{subject} stands at {value}.',
    meaning: 'It is low.',
    consequence: 'It gets lower.',
    checks: ['Check the level.', 'Check the flow.'],
    condition: 'It is below the mark.',
    async *find(): AsyncGenerator<Finding> {
      for (const [subject, value] of subjects) yield { labels: { subject }, value };
    },
    ...part,
    subjects: subjects,
  };
};

/** The description of alerts made by `alertNamed`. */
export const DESCRIPTION =
  'It is low. It gets lower.\nWhat to do first:\n1. Check the level.\n2. Check the flow.';

export interface TestAlert extends AccountAlert {
  /** The values by the subject's name. */
  readonly subjects: Map<string, number>;
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export class AlertRig implements AsyncDisposable {
  readonly clock = new FakeClock(START);
  readonly path = join(createFolder({}), 'store.db');
  readonly lines: Line[] = [];
  /** The `alerts` section of the configuration. It may have overrides of the test's own alerts. */
  section: Record<string, unknown>;
  /** The collectors of the account `main` that are off. */
  readonly disabledCollectors: string[] = [];
  /** The setting `server.external_url`. */
  externalUrl: string | undefined;
  names: readonly string[] = ['main'];
  running: RunInProgress[] = [];
  readonly #table: readonly Alert[];
  readonly #docsUrl: string | undefined;
  #alerting: Alerting | undefined;
  #store: Store | undefined;
  #exposition = new Exposition(ALERT_FAMILIES);
  metrics = new DaemonMetrics({ version: '0', nodeVersion: '24' });

  private constructor(
    table: readonly Alert[],
    section: Record<string, unknown>,
    docsUrl: string | undefined,
  ) {
    this.#table = table;
    this.#docsUrl = docsUrl;
    this.section = section;
  }

  /** `docsUrl` is the documentation that alerts link to if the section names none. */
  static async start(
    table: readonly Alert[],
    section: Record<string, unknown> = {},
    docsUrl?: string,
  ): Promise<AlertRig> {
    const rig = new AlertRig(table, { evaluate: true, ...section }, docsUrl);
    writeEmptyStore(rig.path);
    await rig.begin();
    return rig;
  }

  get alerting(): Alerting {
    if (!this.#alerting) throw new Error('nothing is evaluated');
    return this.#alerting;
  }

  get store(): Store {
    if (!this.#store) throw new Error('the store is not open');
    return this.#store;
  }

  async begin(): Promise<void> {
    this.#store = openSqliteStore({
      path: this.path,
      firstStepHoldMs: 0,
      clock: this.clock,
      isDurable: false,
    });
    this.metrics = new DaemonMetrics({ version: '0', nodeVersion: '24' });
    this.#exposition = new Exposition(ALERT_FAMILIES, this.metrics);
    this.#alerting = new Alerting({
      ...{ alerts: this.#table, holdScale: 1, store: this.#store, clock: this.clock, log: this.#log() },
      ...{ exposition: this.#exposition, metrics: this.metrics, userAgent: 'proxywatch/test' },
      docsUrl: this.#docsUrl,
      runner: { runsInProgress: () => this.running },
      accounts: () => this.#accounts(),
    });
    await this.alerting.start(this.#settings());
    await this.alerting.idle();
  }

  /** Silences a subject from now on until `endsAt` (ms). Returns the id of the silence. */
  async silence(subject: string, endsAt: number): Promise<string> {
    const id = `silence-${this.alerting.mutes.silences.length + 1}`;
    const everything = { account: null, alert: null, comment: 'test', untilResolved: false };
    await this.alerting.mutes.add({ ...everything, id, subject, startsAt: this.clock.now(), endsAt });
    return id;
  }

  async stop(): Promise<void> {
    await this.#alerting?.[Symbol.asyncDispose]();
    this.#store?.[Symbol.dispose]();
    this.#alerting = undefined;
    this.#store = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.begin();
  }

  /** Applies what the test changed in `section`, `names` or `disabledCollectors`. */
  async reload(): Promise<void> {
    await this.alerting.reconfigure(this.#settings());
    await this.alerting.idle();
  }

  /** Reports the end of a run of the collector. */
  async run(collector = 'traffic', result: 'ok' | 'failed' = 'ok', account = 'main'): Promise<void> {
    await this.alerting.afterRun({ account, collector } as Job, result);
    await this.alerting.idle();
  }

  /** Advances the clock, with a tick of the daemon after each step. */
  async pass(ms: number, stepMs = 15_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(Math.min(left, stepMs));
      this.alerting.tick();
      await this.alerting.idle();
    }
  }

  /** The firing alerts, as `Alert subject`. */
  get firing(): string[] {
    return this.#named((firingSince) => firingSince !== null);
  }

  /** The pending alerts, as `Alert subject`. */
  get pending(): string[] {
    return this.#named((firingSince) => firingSince === null);
  }

  async metricsText(): Promise<string> {
    const { body } = await this.#exposition.scrape({ format: 'text', encoding: 'identity' });
    return text(body);
  }

  async sample(series: string): Promise<number | undefined> {
    return parseSamples(await this.metricsText()).get(series);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #named(isWanted: (firingSince: number | null) => boolean): string[] {
    return [...this.alerting.active]
      .filter(({ firingSince }) => isWanted(firingSince))
      .map(({ alert, labels }) => [alert, ...Object.values(labels)].join(' '))
      .toSorted();
  }

  #settings(): Settings {
    const { evaluate, receivers, maintenance, docs_url, dashboard_url, ...changes } = this.section;
    const settings = settingsSchema.parse({
      server: { external_url: this.externalUrl },
      alerts: { evaluate, receivers, maintenance, docs_url, dashboard_url },
      accounts: this.names.map((name) => ({
        name,
        base_url: 'https://provider.example/1.0',
        public_key: 'public',
        private_key: 'private',
        ...Object.fromEntries(this.disabledCollectors.map((collector) => [collector, false])),
      })),
    });
    // The schema does not know the alerts of the test.
    return { ...settings, alerts: { ...settings.alerts, ...changes } };
  }

  #accounts(): RunningAccount[] {
    const settings = this.#settings();
    return settings.accounts.map(
      (account) =>
        ({
          name: account.name,
          settings: account,
          context: accountSettings(account, settings),
          client: { pace: { waiting: 0, limitPerSecond: 8, configuredPerSecond: 8 } },
          jobs: [],
        }) as unknown as RunningAccount,
    );
  }

  #log() {
    const write = (level: string) => (fields: Line['fields'], message: string) =>
      void this.lines.push({ level, message, fields });
    const log = {
      ...{ trace: write('trace'), debug: write('debug'), info: write('info') },
      ...{ warn: write('warn'), error: write('error') },
      child: (more: Line['fields']) => ({
        ...log,
        warn: (fields: Line['fields'], message: string) => log.warn({ ...more, ...fields }, message),
        error: (fields: Line['fields'], message: string) => log.error({ ...more, ...fields }, message),
      }),
    };
    return log as never;
  }
}

export const HOLD_MS = 5 * MINUTE;
