// Tests how long the index of a list stays in memory, and how often it is computed.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IDLE_MS, IndexCache } from '../../../src/http/api/lists/indexed-list.ts';
import { compareTexts, ListIndex, sortInSlices } from '../../../src/http/api/lists/list-index.ts';
import type { Deadline } from '../../../src/lib/clock.ts';
import { insertionIndex } from '../../../src/lib/sorted.ts';

/** Deadlines that end when the test says so. */
class Deadlines {
  readonly #open = new Set<AbortController>();
  ms: number | undefined;

  deadline = (ms: number): Deadline => {
    this.ms = ms;
    const controller = new AbortController();
    this.#open.add(controller);
    return { signal: controller.signal, [Symbol.dispose]: () => this.#open.delete(controller) };
  };

  end(): void {
    for (const controller of this.#open) controller.abort();
  }
}

const emptyIndex = () => new ListIndex({ ids: [], items: [] }, new Map(), new Map());

it('requests share an index until the revision changes', async () => {
  const cache = new IndexCache(new Deadlines());
  let computed = 0;
  const get = (revision: string) =>
    cache.get('main', revision, async () => {
      computed += 1;
      return emptyIndex();
    });
  const [one, other] = await Promise.all([get('1'), get('1')]);
  expect([one === other, computed]).toEqual([true, 1]);
  await get('2');
  expect(computed).toBe(2);
});

it('an index that nobody reads is dropped, and one of a removed account', async () => {
  const deadlines = new Deadlines();
  const cache = new IndexCache(deadlines);
  for (const account of ['main', 'shop']) await cache.get(account, '1', async () => emptyIndex());
  expect([cache.size, deadlines.ms]).toEqual([2, IDLE_MS]);
  cache.keep(['main']);
  expect(cache.size).toBe(1);
  deadlines.end();
  expect(cache.size).toBe(0);
});

it('after a failed computation, the next request computes the index again', async () => {
  const cache = new IndexCache(new Deadlines());
  await expect(cache.get('main', '1', () => Promise.reject(new Error('no store')))).rejects.toThrow(
    'no store',
  );
  expect(await cache.get('main', '1', async () => emptyIndex())).toBeInstanceOf(ListIndex);
});

it('long lists are sorted as short ones are, and searched by halves', async () => {
  const words = Array.from({ length: 9_000 }, (_, n) => `${(n * 7_919) % 4_001} ${n % 3}`);
  const sorted = await sortInSlices(words, compareTexts);
  expect(sorted).toEqual(words.toSorted());
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(insertionIndex(text, sorted)).toBe(sorted.filter((each) => each < text).length);
    }),
    { numRuns: 10, examples: [[sorted[5] ?? '']] },
  );
});
