// Counts the verdicts on each kind of truth, and how long the right ones take.

import { MINUTE } from '../../src/lib/time.ts';
import type { Verdict } from './oracle.ts';
import { type Truth, typeOf, type World } from './truth.ts';

const COLUMNS: readonly Verdict[] = [
  ...(['proxy', 'access', 'target', 'tester', 'provider', 'unknown', 'none'] as const),
];

/** What was said about a truth while it was active. */
export interface Verdicts {
  readonly last: Verdict;
  /** From the begin of the truth until it was first named (ms); undefined if it was not. */
  readonly delay: number | undefined;
}

/** Only probes can show these. */
const HERE_ONLY: ReadonlySet<Truth['kind']> = new Set([
  ...(['firewall', 'wrong_here', 'options', 'no_node', 'quota', 'policy', 'line', 'control'] as const),
]);

/** Limits of the customer's users, and what only this machine lacks, are no faults. */
const NOBODYS: ReadonlySet<Truth['kind']> = new Set([
  ...(['quota', 'exhausted', 'line', 'control'] as const),
]);

/** Truths this long before another one leave no trace in it. */
const APART = 6 * 60 * MINUTE;

export class Confusion {
  readonly #byKind = new Map<Truth['kind'], Verdicts[]>();

  /** Counts the verdicts, unless the daemon could not know the truth, or another truth was active at the same time. */
  add(world: World, truth: Truth, verdicts: Verdicts): void {
    if (!isKnowable(world, truth)) return;
    this.#byKind.set(truth.kind, [...(this.#byKind.get(truth.kind) ?? []), verdicts]);
  }

  /** How many truths of this kind had this verdict at their end. */
  count(kind: Truth['kind'], verdict: Verdict): number {
    return (this.#byKind.get(kind) ?? []).filter(({ last }) => last === verdict).length;
  }

  /** A table in Markdown. */
  toString(): string {
    const rows = [...this.#byKind].sort().map(([kind, verdicts]) => {
      const cells = [...COLUMNS.map((column) => this.count(kind, column)), medianMinutes(verdicts)];
      return `| ${kind} | ${cells.join(' | ')} |`;
    });
    const header = `| truth | ${COLUMNS.join(' | ')} | median delay (minutes) |`;
    return [header, `|---|${'---|'.repeat(COLUMNS.length + 1)}`, ...rows].join('\n');
  }
}

const medianMinutes = (verdicts: readonly Verdicts[]): string => {
  const delays = verdicts.flatMap(({ delay }) => delay ?? []).sort((a, b) => a - b);
  const median = delays[Math.floor((delays.length - 1) / 2)];
  return median === undefined ? '' : String(median / MINUTE);
};

/** Whether the daemon must say something about the truth: somebody is at fault, alone and for long enough. */
export const mustBeTold = (world: World, truth: Truth): boolean =>
  !NOBODYS.has(truth.kind) && isKnowable(world, truth);

const isKnowable = (world: World, truth: Truth): boolean => isAlone(world, truth) && canBeKnown(world, truth);

const isAlone = (world: World, truth: Truth): boolean =>
  world.truths.every(
    (other) => other === truth || other.end + APART <= truth.begin || other.begin >= truth.end,
  );

const hasProxyOf = ({ proxies }: World, type: string): boolean =>
  Array.from({ length: proxies }, (_, index) => typeOf(index)).includes(type);

/** A truth needs so many rounds, of those who can see it. */
const canBeKnown = (world: World, truth: Truth): boolean => {
  if (HERE_ONLY.has(truth.kind) && !world.hasProbes) return false;
  if (truth.kind === 'policy' && !hasProxyOf(world, truth.type)) return false;
  const slowest = Math.max(world.testers > 0 ? world.testEvery : 0, world.hasProbes ? world.probeEvery : 0);
  const end = Math.min(truth.end, world.minutes * MINUTE);
  return end - truth.begin >= (world.faultAfter + 1) * slowest * MINUTE;
};
