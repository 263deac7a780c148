// Runs several daemons as shards of one configuration, each in a process of its own, on one clock that the test moves.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext, ExitCode } from '../../../src/cli/context.ts';
import { backUpStore, restoreStore } from '../../../src/cli/store.ts';
import { MINUTE, SECOND } from '../../../src/lib/time.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { runCommand } from '../../cli/run-command.ts';
import { DrivenDaemon } from '../../support/driven-daemon/driven-daemon.ts';
import { UNGROUPED } from '../../support/fake-receiver.ts';
import { freePort } from '../../support/free-port.ts';

/** The schedules poll at these minutes, and the clock moves from one to the next. */
const STEP_MS = 5 * MINUTE;
/** The last second of its minute, so that everything is due. */
const START = Date.parse('2026-07-06T08:00:59Z');
const SCHEDULED = { schedule: '*/5 * * * *' };

/** A notification lists all alerts of its group, so each alert has a group of its own. */
const SUBJECT = ['alertname', 'account', 'proxy_user_id', 'product_type', 'receiver', 'shard'];

/** Nothing listens there, so what waits for it causes an alert about the daemon. */
export const DEAD_RECEIVER = { type: 'webhook', name: 'dead', url: 'http://127.0.0.1:9/' };

type Command<O> = (context: CommandContext, options: O) => Promise<ExitCode>;

export class Fleet implements AsyncDisposable {
  readonly simulators = new Map<string, Simulator>();
  readonly #folder: string;
  readonly #clock = { now: START };
  readonly #addresses: readonly string[];
  readonly #daemons = new Map<number, DrivenDaemon>();
  #shards = 0;

  private constructor(folder: string, addresses: readonly string[]) {
    this.#folder = folder;
    this.#addresses = addresses;
  }

  /**
   * Prepares simulated accounts with these names, and addresses for up to `most` shards. Connections of other programs, and
   * of Prometheus to a shard that is down, take ports of 127.0.0.1.
   */
  static async prepare(names: readonly string[], most: number, webhook: string): Promise<Fleet> {
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-shards-'));
    await mkdir(join(folder, 'temporary'));
    const addresses: string[] = [];
    for (let shard = 0; shard < most; shard += 1)
      addresses.push(`127.0.114.${1 + shard}:${await freePort(`127.0.114.${1 + shard}`)}`);
    const fleet = new Fleet(folder, addresses);
    for (const [index, name] of names.entries()) await fleet.#addAccount(name, index);
    await writeFile(fleet.configFile, JSON.stringify(fleet.#configuration(webhook)));
    return fleet;
  }

  get configFile(): string {
    return join(this.#folder, 'config.json');
  }

  /** Of all shards that there may be. */
  get addresses(): readonly string[] {
    return this.#addresses;
  }

  get now(): number {
    return this.#clock.now;
  }

  storeOf(shard: number): string {
    return join(this.#folder, `shard-${shard}.db`);
  }

  /** Starts that many shards. */
  async start(shards: number): Promise<void> {
    this.#shards = shards;
    for (let shard = 0; shard < shards; shard += 1) await this.startShard(shard);
  }

  async startShard(shard: number): Promise<void> {
    const daemon = DrivenDaemon.start(this.configFile, this.now, join(this.#folder, 'temporary'), SECOND, {
      PROXYWATCH_SHARD: `${shard}/${this.#shards}`,
      PROXYWATCH_STORE: this.storeOf(shard),
      PROXYWATCH_LISTEN: this.#addresses[shard] ?? '',
    });
    this.#daemons.set(shard, daemon);
    await daemon.url;
    await daemon.advanceTo(this.now);
  }

  /** Kills the shard, which gets no chance to end in order. */
  async kill(shard: number): Promise<void> {
    const daemon = this.#daemons.get(shard);
    this.#daemons.delete(shard);
    daemon?.kill();
    await daemon?.[Symbol.asyncDispose]();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#daemons.values()].map((daemon) => daemon[Symbol.asyncDispose]()));
    this.#daemons.clear();
  }

  /** Moves an account between the stores of two shards, while none runs, as the operator does. */
  async move(account: string, from: number, to: number): Promise<void> {
    const file = join(this.#folder, `${account}.db`);
    const config = this.configFile;
    const run =
      <O>(command: Command<O>, shard: number): Command<O> =>
      (context, options) =>
        command({ ...context, env: { PROXYWATCH_STORE: this.storeOf(shard) } }, options);
    for (const result of [
      await runCommand(run(backUpStore, from), { config, file, account }),
      await runCommand(run(restoreStore, to), { config, file, merge: true }),
    ])
      if (result.code !== 0) throw new Error(result.stderr);
  }

  /** Moves the clock of all shards that run. */
  async advance(ms: number): Promise<void> {
    for (const end = this.now + ms; this.#clock.now < end; ) {
      this.#clock.now += STEP_MS;
      await Promise.all([...this.#daemons.values()].map((daemon) => daemon.advanceTo(this.now)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    for (const simulator of this.simulators.values()) await simulator[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }

  async #addAccount(name: string, seed: number): Promise<void> {
    const scenario = {
      ...{ seed: 1 + seed, users: 3, proxies: 1, pace: null },
      traffic: {
        late: { ratio: 0.05, longest_minutes: 30 },
        revised: { ratio: 0.05, longest_minutes: 40 },
      },
    };
    this.simulators.set(name, await startSimulator({ scenario, now: () => this.#clock.now }));
  }

  #configuration(webhook: string): object {
    return {
      alerts: {
        receivers: [
          { type: 'webhook', name: 'pager', url: webhook, ...UNGROUPED, group_by: SUBJECT },
          DEAD_RECEIVER,
        ],
      },
      accounts: [...this.simulators].map(([name, { baseUrl, publicKey, privateKey }]) => ({
        ...{ name, base_url: baseUrl, public_key: publicKey, private_key: privateKey },
        requests_per_second: 1_000_000,
        traffic: { ...SCHEDULED, reread: '2h', catch_up: '12h', graphs: [] },
        residential_ledger: SCHEDULED,
        proxy_users: SCHEDULED,
        reconciliation: false,
      })),
    };
  }
}
