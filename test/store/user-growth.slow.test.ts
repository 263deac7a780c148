// Tests the usage of proxy users against a model.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { START, TestStore } from './support.ts';
import { poll, usageOf, user } from './user-support.ts';

interface Answer {
  readonly used: number | null;
  readonly at: number;
}

/** Computes the usage of a user from all answers. Whether a fall was a reset depends on the answers after it. */
const expectedUsage = (given: readonly Answer[], isNew: boolean): number => {
  const seen = given.flatMap(({ used, at }) => (used === null ? [] : [{ used, at }]));
  const [first, ...others] = seen;
  let usage = isNew && given[0]?.used !== null ? (first?.used ?? 0) : 0;
  let settled = first?.used ?? 0;
  for (let index = 0; index < others.length; index += 1) {
    const now = others[index] ?? { used: settled, at: 0 };
    const isFall = now.used < settled / 2;
    const back = others.findIndex(({ used }, later) => later > index && used >= settled / 2);
    const end = others[back];
    const isSoon = back === index + 1 || Math.abs((end?.at ?? 0) - now.at) <= DAY;
    const isWrong = end !== undefined && end.used >= settled && isSoon;
    if (isFall && !isWrong && index === others.length - 1) return usage;
    if (isFall && isWrong) index = back;
    const next = isFall && isWrong ? end.used : now.used;
    usage += isFall && !isWrong ? next : next - settled;
    settled = next;
  }
  return usage;
};

const used = fc.oneof({ weight: 6, arbitrary: fc.nat(1_000) }, { weight: 1, arbitrary: fc.constant(null) });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('poll' as const), old: used, young: used }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('clock' as const), ms: fc.integer({ min: -DAY, max: DAY }) }),
  },
);

it('usage counts growth over resets and corrections from the baseline on, and never falls', async () => {
  await fc.assert(
    fc.asyncProperty(used, fc.array(step, { maxLength: 14 }), async (baseline, steps) => {
      using test = new TestStore();
      await poll(test, [user('old', baseline)], START);
      const given: { old: Answer[]; young: Answer[] } = { old: [{ used: baseline, at: START }], young: [] };
      const before = { old: 0, young: 0 };
      let now = START;
      const times = new Set<number>();
      for (const step of steps) {
        if (step.kind === 'restart') test.restart();
        else if (step.kind === 'crash') test.crash();
        else if (step.kind === 'clock') now += step.ms;
        else {
          // Observations of the same millisecond are one observation to the store.
          do now += 1;
          while (times.has(now));
          times.add(now);
          await poll(test, [user('old', step.old), user('young', step.young)], now);
          given.old.push({ used: step.old, at: now });
          given.young.push({ used: step.young, at: now });
        }
        for (const id of ['old', 'young'] as const) {
          if (given[id].length === 0) continue;
          const usage = await usageOf(test, id);
          expect((usage?.value ?? 0) - (usage?.withheld ?? 0)).toBe(expectedUsage(given[id], id === 'young'));
          expect(usage?.value).toBeGreaterThanOrEqual(before[id]);
          before[id] = usage?.value ?? 0;
        }
      }
    }),
    { numRuns: 30 },
  );
});
