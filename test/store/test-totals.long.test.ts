// Tests the totals of proxy tests against the list of all results of random batches.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { ProxyTestResult } from '../../src/store/test-history-store.ts';
import {
  type AttributedResult,
  ERROR_SOURCE_CODES,
  type FaultKind,
  RESPONSE_TIME_BOUNDS_MS,
} from '../../src/store/test-store.ts';
import { HOLD_MS, START, TestStore } from './support.ts';
import { failure, result, save } from './test-results.ts';

const outcome = fc.record({
  proxy: fc.constantFrom('fr-1', 'fr-2', 'shop'),
  url: fc.constantFrom('shop', 'https://example.com/'),
  tester: fc.constantFrom('london-1', 'paris-1'),
  isSuccessful: fc.boolean(),
  responseTimeMs: fc.integer({ min: 1, max: 70_000 }),
});
const cause = fc.constantFrom<FaultKind | null>(null, 'proxy', 'target', 'tester', 'provider');
/** The causes of a batch's failures, one after another: before the faults of the round are known, and after that. */
const causes = fc.array(fc.tuple(cause, cause), { minLength: 1, maxLength: 5 });
const batch = fc.uniqueArray(outcome, {
  selector: ({ proxy, url, tester }) => `${proxy} ${url} ${tester}`,
  minLength: 1,
});
const toResult = ({
  responseTimeMs,
  ...rest
}: ProxyTestResult | (typeof outcome extends fc.Arbitrary<infer R> ? R : never)) =>
  rest.isSuccessful ? result({ ...rest, responseTimeMs }) : failure(rest);

it('every total is the sum over all results, across restarts and crashes', async () => {
  const ending = fc.constantFrom('goes on', 'restart', 'crash');
  const gap = fc.integer({ min: 0, max: 20 * 60 });
  const hours = fc.tuple(fc.integer({ min: -9, max: 30 }), fc.integer({ min: 0, max: 140 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(batch, gap, ending, causes), { maxLength: 8 }),
      hours,
      async (steps, range) => {
        using test = new TestStore();
        const all: (AttributedResult & { at: number })[] = [];
        let at = START;
        for (const [outcomes, minutes, ending, causes] of steps) {
          at += minutes * MINUTE;
          const results = outcomes.map(toResult);
          const causesOf = (index: number) => causes[index % causes.length] ?? [null, null];
          const failed = results.filter(({ isSuccessful }) => !isSuccessful);
          const changes = failed.map((each, index) => {
            const [before, after] = causesOf(index);
            return { ...each, at, before, after };
          });
          await save(
            test,
            results.map((each) => ({ ...each, cause: changes[failed.indexOf(each)]?.before ?? null })),
            at,
          );
          await test.store.tests.changeCauses('main', changes);
          all.push(
            ...results.map((each) => ({ ...each, at, cause: changes[failed.indexOf(each)]?.after ?? null })),
          );
          if (ending === 'restart') test.restart();
          if (ending === 'crash') test.crash();
        }
        const { tests } = test.store;
        const count = (matching: (each: (typeof all)[number]) => boolean) => all.filter(matching).length;

        for (const cell of await tests.cells('main', ['fr-1', 'fr-2', 'shop'])) {
          const matching = all.filter(
            ({ proxy, url, tester }) => proxy === cell.proxy && url === cell.url && tester === cell.tester,
          );
          const history = matching
            .slice(-8)
            .reduce((bits, each) => (bits << 1) | Number(!each.isSuccessful), 0);
          const sources = matching
            .slice(-8)
            .reduce((bits, each) => (bits << 2) | (each.isSuccessful ? 0 : ERROR_SOURCE_CODES.target), 0);
          const { cause: _, ...newest } = matching.at(-1) ?? {};
          expect(cell).toEqual({
            ...newest,
            sources,
            results: matching.length,
            successes: matching.filter(({ isSuccessful }) => isSuccessful).length,
            history,
            rounds: Math.min(8, matching.length),
            heldUntil: (matching[0]?.at ?? 0) + HOLD_MS,
          });
        }
        for (const { proxy, errorSource, count: failures } of await tests.failures('main')) {
          expect(failures).toBe(count((each) => each.proxy === proxy && each.errorSource === errorSource));
        }
        for (const { url, tester, count: errors } of await tests.errors('main')) {
          expect(errors).toBe(
            count((each) => each.url === url && each.tester === tester && !each.isSuccessful),
          );
        }
        for (const times of await tests.responseTimes('main')) {
          const matching = all.filter(
            ({ url, tester, isSuccessful }) => url === times.url && tester === times.tester && isSuccessful,
          );
          const within = (bound: number) =>
            matching.filter(({ responseTimeMs }) => (responseTimeMs ?? 0) <= bound).length;
          expect(times.counts).toEqual(RESPONSE_TIME_BOUNDS_MS.map(within));
          expect(times.count).toBe(matching.length);
        }
        const [from, to] = [START + range[0] * HOUR, START + (range[0] + range[1]) * HOUR];
        for (const [subject, kind] of [
          [{ proxy: 'shop' }, 'proxy'],
          [{ url: 'shop' }, 'target'],
          [{ tester: 'paris-1' }, 'tester'],
        ] as const) {
          const [[label, name] = ['', '']] = Object.entries(subject);
          const matching = all.filter(
            ({ at, ...each }) => at >= from && at < to && (each as Record<string, unknown>)[label] === name,
          );
          const sumsOf = (start: number, end: number) => {
            const within = matching.filter(({ at }) => at >= start && at < end);
            const successful = within.filter(({ isSuccessful }) => isSuccessful);
            const sumMs = successful.reduce((sum, { responseTimeMs }) => sum + (responseTimeMs ?? 0), 0);
            const attributed = within.flatMap(({ cause }) => cause ?? []);
            const ownFailures = attributed.filter((cause) => cause === kind).length;
            const otherFailures = attributed.length - ownFailures;
            return {
              results: within.length,
              successes: successful.length,
              sumMs,
              ownFailures,
              otherFailures,
            };
          };
          expect(await tests.uptime('main', subject, from, to)).toEqual(sumsOf(from, to));
          const hours = Array.from({ length: (to - from) / HOUR }, (_, hour) => from + hour * HOUR);
          expect(await tests.uptimeHistory('main', subject, from, to, HOUR)).toEqual(
            hours.map((hour) => sumsOf(hour, hour + HOUR)),
          );
        }
        const failed = all.filter(({ isSuccessful }) => !isSuccessful);
        const recent = await tests.recentFailures('main', 5);
        expect(recent.map(({ number: _, ...each }) => each)).toEqual(
          failed
            .toReversed()
            .slice(0, 5)
            .map(({ isSuccessful: _, responseTimeMs: __, cause: ___, ...each }) => each),
        );
      },
    ),
    { numRuns: 15 },
  );
});
