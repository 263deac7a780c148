// Judges what the daemon says about the demo's account, knowing what really fails in it.

import type { VerdictWord } from '../../src/collectors/proxy-tests/verdicts.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { ListedProxy } from '../../src/simulator/proxies/simulated-proxy.ts';
import type { Fault } from '../../src/store/test-store.ts';
import { SHOP, type State } from './demo-account.ts';
import type { DemoMinute } from './demo-day.ts';
import { admitsDoubt, type Judgement, type Side } from './oracle.ts';

const SINGAPORE = 'singapore-1-digitalocean-proxytester-1';
/** A fault may outlast its cause by so many rounds that do not show it, because it must not flap. */
const LINGERS: Readonly<Record<Side, number>> = { tests: 40 * MINUTE, here: 4 * MINUTE };

/** After so many minutes a cause must be named: three rounds of probes, two rounds of tests. */
const SOON: Readonly<Record<Side, number>> = { tests: 21, here: 3 };

export const nameOf = ({ type }: ListedProxy, index: number): string => `${type}-${index + 1}`;

type Cause = 'down' | 'access' | 'target' | 'tester' | 'quota';
const CAUSES: Readonly<Partial<Record<State, Cause>>> = {
  ...{ refused: 'down', silent: 'down', removed: 'access', credentials: 'access', quota: 'quota' },
};

interface Active {
  readonly cause: Cause;
  readonly subject: string;
  /** Since when the cause has been active without a break, and when it was active last (ms). */
  readonly since: number;
  readonly last: number;
}

const keyOf = (cause: Cause, subject: string): string => `${cause} ${subject}`;

const NOT_TESTED_SINCE = /have not tested it since \(newest test: (\S+) (\S+) UTC\)/;

export class DemoOracle {
  readonly #active = new Map<string, Active>();
  /** By proxy: since when the outage that was named last has been active (ms). */
  readonly #namedDown = new Map<string, number>();
  #now = 0;

  /** Call it once for each minute. */
  observe({ account, at }: Pick<DemoMinute, 'account' | 'at'>): void {
    this.#now = at;
    for (const [index, proxy] of account.proxies.entries()) {
      const cause = CAUSES[account.stateOf(proxy, at)];
      if (cause) this.#note(cause, nameOf(proxy, index), at);
    }
    if (account.isTargetDown(SHOP, at)) this.#note('target', 'shop', at);
    if (account.isTesterDown(SINGAPORE, at)) this.#note('tester', SINGAPORE, at);
  }

  judgeFault(side: Side, { kind, subject, reason }: Pick<Fault, 'kind' | 'subject' | 'reason'>): Judgement {
    const was = (cause: Cause): boolean => this.#wasActive(cause, subject, LINGERS[side]);
    switch (kind) {
      case 'proxy':
        return was('down') ? 'right' : 'wrong';
      case 'access':
        if (was('access')) return 'right';
        return was('down') && admitsDoubt(reason) ? 'unknown' : 'wrong';
      case 'target':
      case 'tester':
        return was(kind) ? 'right' : 'wrong';
      case 'provider':
        return 'wrong';
    }
  }

  /** Whether a reason says that a proxy was not tested since it fails, although it was. */
  isUntrue({ subject, reason }: Pick<Fault, 'subject' | 'reason'>): boolean {
    const [, day, time] = NOT_TESTED_SINCE.exec(reason) ?? [];
    const testedAt = Date.parse(`${day}T${time}:00Z`);
    return (['down', 'access'] as const).some((cause) => {
      const active = this.#active.get(keyOf(cause, subject));
      return active !== undefined && active.last === this.#now && active.since < testedAt;
    });
  }

  /** The proxies that are down, were said to be so, and are not any more. */
  lost({ tests, here }: Pick<DemoMinute, 'tests' | 'here'>): string[] {
    const named = new Set(
      [...tests, ...here].flatMap(({ kind, subject }) => (kind === 'proxy' ? subject : [])),
    );
    return [...this.#active.values()].flatMap(({ cause, subject, since, last }) => {
      if (cause !== 'down' || last !== this.#now) return [];
      if (named.has(subject)) this.#namedDown.set(subject, since);
      return this.#namedDown.get(subject) === since && !named.has(subject) ? subject : [];
    });
  }

  /** Whether the verdict about a proxy may have this word now. */
  allows(proxy: string, verdict: VerdictWord | undefined): boolean {
    const was = (cause: Cause, subject = proxy): boolean => this.#wasActive(cause, subject, LINGERS.tests);
    switch (verdict) {
      case 'proxy_at_fault':
        return was('down');
      case 'unusable_here':
        return was('access') || was('down');
      case 'target_at_fault':
        return was('target', 'shop');
      case 'tester_at_fault':
        return was('tester', SINGAPORE);
      case 'ok':
        return (['down', 'access', 'quota'] as const).every((cause) => this.#minutesOf(cause, proxy) < 2);
      case 'unattributed':
        return true;
      default:
        return false;
    }
  }

  /** What has been failing for long enough to be named, and is not. */
  unnamed({ tests, here }: Pick<DemoMinute, 'tests' | 'here'>): string[] {
    return [...this.#active.values()]
      .filter(({ cause, subject }) => {
        const all = [...tests, ...here].filter((fault) => fault.subject === subject);
        return this.#isLate(cause, this.#minutesOf(cause, subject), new Set(all.map(({ kind }) => kind)));
      })
      .map(({ cause, subject }) => keyOf(cause, subject));
  }

  #isLate(cause: Cause, minutes: number, named: ReadonlySet<Fault['kind']>): boolean {
    switch (cause) {
      case 'down':
        // Until they are tested again, nothing shows that they fail elsewhere too.
        return (minutes > SOON.here && named.size === 0) || (minutes > SOON.tests && !named.has('proxy'));
      case 'access':
      case 'target':
        return minutes > SOON.here && !named.has(cause);
      case 'tester':
        return minutes > SOON.tests && !named.has(cause);
      case 'quota':
        return false;
    }
  }

  /** Whether something is the matter with the proxy, or is said to be. */
  isConcerned(proxy: string, { tests, here }: Pick<DemoMinute, 'tests' | 'here'>): boolean {
    const hasFault = [...tests, ...here].some(({ subject }) => subject === proxy);
    return (
      hasFault || (['down', 'access', 'quota'] as const).some((cause) => this.#minutesOf(cause, proxy) > 0)
    );
  }

  /** For how many minutes the cause has been active; 0 if it is not. */
  #minutesOf(cause: Cause, subject: string): number {
    const active = this.#active.get(keyOf(cause, subject));
    return active?.last === this.#now ? (active.last - active.since) / MINUTE + 1 : 0;
  }

  #note(cause: Cause, subject: string, at: number): void {
    const key = keyOf(cause, subject);
    const before = this.#active.get(key);
    const isGoingOn = before !== undefined && at - before.last <= MINUTE;
    this.#active.set(key, { cause, subject, since: isGoingOn ? before.since : at, last: at });
  }

  #wasActive(cause: Cause, subject: string, withinMs: number): boolean {
    const last = this.#active.get(keyOf(cause, subject))?.last;
    return last !== undefined && this.#now - last <= withinMs;
  }
}
