// Tests the settling of host names in drawn days: names are summarised under wider ones, come back, are corrected and taken back.
// The oracle knows what each name really used.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  isWide,
  type NamedUse,
  type SettledUse,
  settleNames,
  type UseValues,
} from '../../src/store/summarised-names.ts';

const NAMES = ['a.one.example', 'b.one.example', 'one.example', 'c.b.one.example', 'two.example'] as const;
const WIDE = ['*.one.example', '*.b.one.example', ''] as const;
type Name = (typeof NAMES)[number];

/** What the provider lists: the bytes of each name since its last merge, and those of the wider names. */
class Day {
  readonly used = new Map<Name, number>();
  readonly listed = new Map<string, number>();

  use(name: Name, bytes: number): void {
    this.used.set(name, (this.used.get(name) ?? 0) + bytes);
    this.listed.set(name, (this.listed.get(name) ?? 0) + bytes);
  }

  /** Moves all that the wider name covers into it. */
  merge(wide: string): void {
    for (const [name, bytes] of [...this.listed]) {
      if (name === wide || name === '' || !isCovered(wide, name)) continue;
      this.listed.delete(name);
      this.listed.set(wide, (this.listed.get(wide) ?? 0) + bytes);
    }
  }
}

const isCovered = (wide: string, name: string): boolean =>
  wide === '' || name === wide.slice(2) || name.endsWith(wide.slice(1));

const valuesOf = (bytes: number): UseValues => [bytes, bytes / 10, bytes, bytes / 10];

/** Lists the day against the stored rows, without the names in `lost`. */
const list = (
  stored: readonly SettledUse[],
  listed: ReadonlyMap<string, number>,
  lost: ReadonlySet<string> = new Set(),
): SettledUse[] => {
  const known = new Map(stored.map((row) => [row.hostname, row]));
  const names = new Set(
    [...known.keys(), ...listed.keys()].filter((name) => known.has(name) || !lost.has(name)),
  );
  const rows = [...names].map((hostname): NamedUse => {
    const { counted = null, moved = [0, 0, 0, 0], isListed = false, misses = 0 } = known.get(hostname) ?? {};
    const bytes = lost.has(hostname) ? undefined : listed.get(hostname);
    const answered = bytes === undefined ? null : valuesOf(bytes);
    return { hostname, counted, moved, answered, wasListed: isListed, misses };
  });
  return settleNames(rows).filter(({ isRemoved }) => !isRemoved);
};

const bytesOf = (rows: readonly SettledUse[], hostname: string): number =>
  rows.find((row) => row.hostname === hostname)?.counted[0] ?? 0;
const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);
const totalOf = (rows: readonly SettledUse[]): number => sumOf(rows.map(({ counted }) => counted[0] ?? 0));

const use = fc.record({
  name: fc.constantFrom(...NAMES),
  bytes: fc.integer({ min: 1, max: 100 }).map((n) => n * 10),
});
const step = fc.record({
  uses: fc.array(use, { maxLength: 5 }),
  isMerged: fc.boolean(),
});
const world = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  wide: fc.constantFrom(...WIDE),
  /** After 90 days, names are dropped. */
  isDropped: fc.boolean(),
});

it('names keep all that they used before they were summarised, and the sum is the answered one', () => {
  fc.assert(
    fc.property(world, ({ steps, wide, isDropped }) => {
      const day = new Day();
      let rows: SettledUse[] = [];
      const check = () => {
        rows = list(rows, day.listed);
        expect(totalOf(rows)).toBe(sumOf(day.listed.values()));
        for (const [name, bytes] of day.used) expect([name, bytesOf(rows, name)]).toEqual([name, bytes]);
        for (const name of WIDE) expect(bytesOf(rows, name)).toBe(0);
      };
      for (const { uses, isMerged } of steps) {
        for (const { name, bytes } of uses) day.use(name, bytes);
        // Listed before it is summarised, so that all names are known.
        check();
        if (isMerged) day.merge(wide);
        check();
      }
      if (isDropped) day.merge('');
      check();
    }),
    { numRuns: 300 },
  );
});

it('names that are used again before the next listing keep what they used before they were summarised', () => {
  const parts = fc.array(
    fc.record({ before: fc.integer({ min: 2, max: 90 }), since: fc.integer({ min: 0, max: 89 }) }),
    {
      minLength: NAMES.length,
      maxLength: NAMES.length,
    },
  );
  fc.assert(
    fc.property(parts, fc.constantFrom(...WIDE), (uses, wide) => {
      const day = new Day();
      for (const [i, name] of NAMES.entries()) day.use(name, (uses[i]?.before ?? 0) * 10);
      const rows = list([], day.listed);
      day.merge(wide);
      for (const [i, name] of NAMES.entries())
        day.use(name, Math.min(uses[i]?.since ?? 0, Math.ceil((uses[i]?.before ?? 0) / 2) - 1) * 10);
      const settled = list(rows, day.listed);
      for (const [name, bytes] of day.used) expect([name, bytesOf(settled, name)]).toEqual([name, bytes]);
      expect(totalOf(settled)).toBe(sumOf(day.listed.values()));
    }),
  );
});

it('what a wider name lists of names that were never listed is its own', () => {
  const day = new Day();
  day.use('a.one.example', 100);
  let rows = list([], day.listed);
  day.use('a.one.example', 30);
  day.use('b.one.example', 50);
  day.merge('*.one.example');
  rows = list(rows, day.listed);
  expect(Object.fromEntries(rows.map(({ hostname, counted }) => [hostname, counted]))).toEqual({
    'a.one.example': valuesOf(100),
    '*.one.example': valuesOf(80),
  });
});

it('whatever is listed, the sum is right after two equal listings, and no lost answer changes it for good', () => {
  const listings = fc.array(
    fc.record({
      listed: fc.dictionary(
        fc.constantFrom(...NAMES, ...WIDE),
        fc.integer({ min: 0, max: 500 }).map((n) => n * 10),
      ),
      lost: fc.subarray([...NAMES, ...WIDE]),
    }),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(listings, (each) => {
      let rows: SettledUse[] = [];
      for (const { listed, lost } of each) {
        const answer = new Map(Object.entries(listed));
        rows = list(rows, answer, new Set(lost));
        rows = list(list(rows, answer), answer);
        expect(totalOf(rows)).toBe(sumOf(answer.values()));
        expect(totalOf(list(rows, answer))).toBe(sumOf(answer.values()));
      }
    }),
    { numRuns: 500 },
  );
});

it('a name that is listed again outside of the wider one has its bytes once', () => {
  const [apart, together] = [
    new Map([
      ['a.one.example', 600],
      ['b.one.example', 400],
    ]),
    new Map([['*.one.example', 1_000]]),
  ];
  const rows = list(
    list(list([], apart), together),
    new Map([
      ['a.one.example', 600],
      ['*.one.example', 400],
    ]),
  );
  expect(NAMES.map((name) => bytesOf(rows, name))).toEqual([600, 400, 0, 0, 0]);
  expect(rows.filter(({ hostname }) => isWide(hostname)).map(({ counted }) => counted[0])).toEqual([0]);
});

it('a correction of a wider name is its own', () => {
  const [apart, together] = [new Map([['a.one.example', 600]]), new Map([['*.one.example', 600]])];
  const rows = list(
    list(list([], apart), together),
    new Map([
      ['*.one.example', 590],
      ['a.one.example', 50],
    ]),
  );
  expect([bytesOf(rows, 'a.one.example'), bytesOf(rows, '*.one.example')]).toEqual([650, -10]);
});

it('a row is taken back when two listings in a row lack it', () => {
  const rows = list([], new Map([['two.example', 70]]));
  const once = list(rows, new Map());
  expect(totalOf(once)).toBe(70);
  expect(totalOf(list(once, new Map([['two.example', 70]])))).toBe(70);
  expect(list(once, new Map())).toEqual([]);
});

it('a small correction and a single miss are no summary, whatever a wider name has', () => {
  const first = new Map([
    ['two.example', 1_000],
    ['', 5_000],
  ]);
  const corrected = list(
    list([], first),
    new Map([
      ['two.example', 990],
      ['', 9_000],
    ]),
  );
  expect([bytesOf(corrected, 'two.example'), bytesOf(corrected, '')]).toEqual([990, 9_000]);
  const missed = list(
    list(list([], first), new Map([['', 5_000]])),
    new Map([
      ['two.example', 1_500],
      ['', 5_000],
    ]),
  );
  expect([bytesOf(missed, 'two.example'), bytesOf(missed, '')]).toEqual([1_500, 5_000]);
});

it('a name that is summarised while it is corrected keeps what the wider one has of it', () => {
  const rows = list(list([], new Map([['a.one.example', 10_000]])), new Map([['*.one.example', 9_990]]));
  expect([bytesOf(rows, 'a.one.example'), bytesOf(rows, '*.one.example')]).toEqual([9_990, 0]);
});

it('a name that is replaced by another one, with the same bytes, is not counted with it', () => {
  const rows = list(list([], new Map([['two.example', 70]])), new Map([['2.example', 90]]));
  expect(Object.fromEntries(rows.map(({ hostname, counted }) => [hostname, counted[0]]))).toEqual({
    '2.example': 90,
  });
});
