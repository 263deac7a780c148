// Tests that a round and probes on request, in any order, never reserve more than the budget together.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BudgetGate, ByteBudget } from '../../../src/collectors/probes/budget/byte-budget.ts';

const PRICE = { most: 100, estimate: 10 };

/** A store that counts what was spent, which is what the next budget reads. */
class SpentBytes {
  spent = 0;

  async spend(_account: string, amounts: readonly { readonly bytes: number }[]): Promise<void> {
    await new Promise(setImmediate);
    for (const { bytes } of amounts) this.spent += bytes;
  }
}

const openOf = (store: SpentBytes, perDay: number) => async (): Promise<ByteBudget> => {
  const remaining = perDay - store.spent;
  await new Promise(setImmediate);
  return new ByteBudget({
    ...{ account: 'main', probes: store, clock: { now: () => 0 } },
    ...{ remaining, allowed: remaining, piecesPerWrite: 16 },
  });
};

test('a round and requests share the budget', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 0, max: 20 }),
      async (areRequests, pieces) => {
        const store = new SpentBytes();
        const gate = new BudgetGate();
        const open = openOf(store, pieces * PRICE.most);
        const opening = gate.openRound(open);
        let reserved = 0;
        await Promise.all(
          areRequests.map(async (isRequest) => {
            const isReserved = isRequest
              ? (await gate.reserve(PRICE, open)) !== undefined
              : await (await opening).reserve(PRICE);
            if (isReserved) reserved += 1;
          }),
        );
        expect(reserved).toBeLessThanOrEqual(pieces);
      },
    ),
  );
});

test('a request that the budget does not allow costs nothing, and later ones can be allowed', async () => {
  const store = new SpentBytes();
  const gate = new BudgetGate();
  expect(await gate.reserve(PRICE, openOf(store, 99))).toBeUndefined();
  expect(store.spent).toBe(0);
  await expect(gate.reserve(PRICE, () => Promise.reject(new Error('the store fails')))).rejects.toThrow();
  expect(await gate.reserve(PRICE, openOf(store, 100))).toBeDefined();
});
