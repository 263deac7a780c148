// Lets things happen to the daemon of the month: disturbances at random, and the same amount of change every day.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { Change } from '../../../src/simulator/faults/changes.ts';
import { draw } from '../../../src/simulator/random.ts';
import { PROXIES, proxyLinesOn, START, USERS } from './account.ts';
import { configurationOn } from './configuration.ts';
import { DISTURBANCES, type World } from './disturbances.ts';

/** Time at the end of each day in which nothing goes wrong, so that what the daemon holds can be compared. */
const QUIET_MS = 2.5 * HOUR;
const LONGEST_DISTURBANCE_MS = 5 * HOUR;
/** A disturbance begins in this share of the hours. */
const RATIO = 0.6;
/** Days on which the machine sleeps for a while. */
const SLEEPS_EVERY_DAYS = 3;
const USERS_RENAMED_DAILY = 2;

export class Events {
  readonly #world: World;
  readonly #daemonUrl: string;
  readonly #seed: number;
  #draws = 0;
  #ongoing: { readonly endsAt: number; readonly end: () => void }[] = [];
  /** The latest changes, by kind and subject, that stay until another one of the same subject. */
  readonly #lasting = new Map<string, Change>();
  count = 0;

  constructor(world: World, daemonUrl: string, seed: number) {
    this.#world = world;
    this.#daemonUrl = daemonUrl;
    this.#seed = seed;
  }

  /** To be called once an hour. Returns for how long the machine sleeps now (ms). */
  async hour(now: number): Promise<number> {
    const [day, hour] = [Math.floor((now - START) / DAY), Math.floor(((now - START) % DAY) / HOUR)];
    const quietAt = START + (day + 1) * DAY - QUIET_MS;
    this.#end(now >= quietAt ? Number.POSITIVE_INFINITY : now);
    if (hour === 3) this.#replaceThings(day);
    if (hour === 5) await this.#reload('{', 400);
    // The second reload changes nothing.
    if (hour === 6 || hour === 8) await this.#configure(day);
    if (now < quietAt - HOUR && this.#random() < RATIO) this.#disturb(now, quietAt);
    const sleeps = hour === 12 && day % SLEEPS_EVERY_DAYS === 0;
    return sleeps ? (1 + Math.floor(this.#random() * 180)) * MINUTE : 0;
  }

  #disturb(now: number, quietAt: number): void {
    const disturbance = DISTURBANCES[Math.floor(this.#random() * DISTURBANCES.length)];
    const end = disturbance?.(this.#world, () => this.#random());
    const endsAt = Math.min(quietAt, now + this.#random() * LONGEST_DISTURBANCE_MS);
    if (end) this.#ongoing.push({ endsAt, end });
    this.count += 1;
  }

  #end(until: number): void {
    for (const { endsAt, end } of this.#ongoing) if (endsAt <= until) end();
    this.#ongoing = this.#ongoing.filter(({ endsAt }) => endsAt > until);
  }

  /** Renames users, and replaces a user and a proxy by new ones. */
  #replaceThings(day: number): void {
    for (let n = 0; n < USERS_RENAMED_DAILY; n += 1) {
      const subject = 1 + ((day * USERS_RENAMED_DAILY + n) % (USERS - 1));
      this.#change({ kind: 'user', subject, set: { proxy_user_id: `renamed-${day}-${n}` } });
    }
    const id = `00000000-0000-4000-8000-${String(day).padStart(12, '0')}`;
    const set = { proxy_id: id, proxy_ip_address: `198.51.100.${day % 250}` };
    this.#change({ kind: 'proxy', subject: day % PROXIES, set });
  }

  #change(change: { kind: 'user' | 'proxy'; subject: number; set: object }): void {
    const { changes } = this.#world.simulator;
    const key = `${change.kind} ${change.subject}`;
    const before = this.#lasting.get(key);
    if (before) changes.remove(before);
    this.#lasting.set(key, changes.add(change as Parameters<typeof changes.add>[0]));
  }

  async #configure(day: number): Promise<void> {
    const { surroundings } = this.#world;
    writeFileSync(join(surroundings.folder, 'proxies.txt'), proxyLinesOn(day, this.#seed));
    await this.#reload(JSON.stringify(configurationOn(day, surroundings)), 200);
  }

  async #reload(text: string, expected: number): Promise<void> {
    writeFileSync(join(this.#world.surroundings.folder, 'config.yaml'), text);
    const { status } = await fetch(`${this.#daemonUrl}/-/reload`, { method: 'POST' });
    if (status !== expected) throw new Error(`the reload answered ${status}`);
  }

  #random(): number {
    this.#draws += 1;
    return draw(this.#seed, this.#draws);
  }
}
