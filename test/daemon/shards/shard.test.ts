// Tests which shard runs an account.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { labelsOf, ownerOf, parseShard } from '../../../src/daemon/shards/shard.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,30}$/);
const count = fc.integer({ min: 1, max: 40 });

it.each([
  ['0/1', { index: 0, count: 1 }],
  ['2/3', { index: 2, count: 3 }],
  ['999/1000', { index: 999, count: 1_000 }],
])('%s is a shard', (text, shard) => {
  expect(parseShard(text)).toEqual(shard);
});

it.each([
  ...[
    '',
    '1',
    '3/3',
    '0/0',
    '-1/3',
    '+1/3',
    '1/3/5',
    '1.0/3',
    '1.5/3',
    ' 1/3',
    '1/3\n',
    'a/b',
    '0x1/3',
    '٠/٣',
  ],
  ...['1000/1001', '0/99999', '99999999999/3', '1e2/1e3', 'NaN/NaN', '0/Infinity'],
])('"%s" is no shard', (text) => {
  expect(parseShard(text)).toBeUndefined();
});

it('each account has one shard, and another shard takes accounts only for itself', () => {
  fc.assert(
    fc.property(name, count, (account, shards) => {
      const [before, after] = [ownerOf(account, shards), ownerOf(account, shards + 1)];
      expect(before).toBeGreaterThanOrEqual(0);
      expect(before).toBeLessThan(shards);
      expect([before, shards]).toContain(after);
    }),
  );
});

it('another shard takes its share, and all shards have about as many accounts', () => {
  const accounts = Array.from({ length: 3_000 }, (_, index) => `account-${index}`);
  const owned = (shards: number) =>
    Array.from({ length: shards }, (_, shard) => accounts.filter((each) => ownerOf(each, shards) === shard));
  // A binomial share of 1,000 has a standard deviation of 26, and one of 750 of 24.
  for (const { length } of owned(3)) expect(Math.abs(length - 1_000)).toBeLessThan(130);
  const moved = accounts.filter((each) => ownerOf(each, 3) !== ownerOf(each, 4));
  expect(Math.abs(moved.length - 750)).toBeLessThan(120);
});

/** A daemon of another version must not run an account that another daemon runs. */
it('the shard of a name never changes', () => {
  const owners = ['main', 'eu-1', 'us-1', 'shop'].map((account) => ownerOf(account, 3));
  expect(owners).toMatchInlineSnapshot(`
    [
      1,
      2,
      0,
      1,
    ]
  `);
});

it('only alerts of several daemons need a label', () => {
  expect(labelsOf({ index: 0, count: 1 })).toEqual({});
  expect(labelsOf({ index: 1, count: 3 })).toEqual({ shard: '1' });
});
