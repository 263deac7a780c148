// Tests that the use by label adds up to the use of all users, to the byte, whatever the metadata.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LabelParts } from '../../src/lib/label-parts.ts';
import { HOUR } from '../../src/lib/time.ts';
import type { UsersUse } from '../../src/store/user-use-store.ts';
import { START, TestStore } from './support.ts';
import { list, TYPES, user } from './user-use-support.ts';

type Metadata = Readonly<Record<string, string | null>> | undefined;

interface Used {
  readonly bytes: readonly [residential: number, mobile: number];
  readonly metadata: Metadata;
}

const REQUEST = { from: 0, to: 100_000, types: TYPES, limit: 10, labels: ['team', 'project'] };

/** Stores users that each use so many bytes within an hour, and returns their use by label. */
const useByLabel = async (users: readonly Used[], request: object = {}) => {
  using files = new TestStore();
  const listed = (isUsed: boolean) =>
    users.map(({ bytes: [residential, mobile], metadata }, index) => {
      const found = user(`u${index}`, isUsed ? residential : 0, isUsed ? mobile : 0);
      return metadata ? { ...found, details: { ...found.details, metadata } } : found;
    });
  await list(files, listed(false), START);
  await list(files, listed(true), START + HOUR / 2);
  await list(files, listed(true), START + HOUR);
  return await files.store.userUse.ranking('main', { ...REQUEST, ...request });
};

const partsOf = ({ values, others, notSet, unknown }: LabelParts<UsersUse>): UsersUse[] => [
  ...values,
  others,
  notSet,
  unknown,
];

const word = fc.constantFrom(null, '', 'a', 'b', 'other', 'not set');
const metadata = fc.option(fc.record({ team: word, project: word }, { requiredKeys: [] }), {
  nil: undefined,
});
const used = fc.record({ bytes: fc.tuple(fc.nat(1_000_000), fc.nat(9)), metadata });

it('adds up to the use of all users in every label', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(used, { maxLength: 12 }), async (users) => {
      const { sum, users: count, labels } = await useByLabel(users);
      for (const label of labels) {
        const parts = partsOf(label);
        for (const type of TYPES)
          expect(parts.reduce((all, { bytes }) => all + bytes[type], 0)).toBe(sum[type]);
        expect(parts.reduce((all, part) => all + part.users, 0)).toBe(count);
      }
      const expected = users.reduce((all, { bytes }) => all + bytes[0], 0);
      expect(sum.residential).toBe(expected);
    }),
    { numRuns: 25 },
  );
}, 30_000);

it('separates users without a value from those whose value was not read', async () => {
  const users: Used[] = [
    { bytes: [5, 1], metadata: { team: 'a' } },
    { bytes: [7, 0], metadata: { team: '' } },
    { bytes: [11, 0], metadata: { team: null } },
    { bytes: [2, 0], metadata: { plan: 'x' } },
    { bytes: [13, 0], metadata: undefined },
    { bytes: [17, 0], metadata: { team: 'b' } },
  ];
  const { labels } = await useByLabel(users);
  expect(labels.map(({ label }) => label)).toEqual(['team', 'project']);
  expect(labels[0]).toEqual({
    label: 'team',
    values: [
      { value: 'b', users: 1, bytes: { residential: 17, mobile: 0 } },
      { value: 'a', users: 1, bytes: { residential: 5, mobile: 1 } },
    ],
    others: { values: 0, users: 0, bytes: { residential: 0, mobile: 0 } },
    notSet: { users: 2, bytes: { residential: 18, mobile: 0 } },
    unknown: { users: 2, bytes: { residential: 15, mobile: 0 } },
  });
  const [inherited] = (await useByLabel(users, { labels: ['constructor'] })).labels;
  expect(inherited).toMatchObject({ values: [], notSet: { users: 0 }, unknown: { users: 6 } });
  expect((await useByLabel(users, { labels: [] })).labels).toEqual([]);
});

it('names the 20 largest values of the requested types, and joins the others', async () => {
  const users = Array.from({ length: 25 }, (_, index): Used => {
    return { bytes: [1_000 - index, index], metadata: { team: `t${index}` } };
  });
  const { labels } = await useByLabel(users, { types: ['mobile'] });
  const [team] = labels;
  expect(team?.values.map(({ value }) => value).slice(0, 2)).toEqual(['t24', 't23']);
  expect(team?.values).toHaveLength(20);
  expect(team?.others).toEqual({ values: 5, users: 4, bytes: { residential: 4_990, mobile: 10 } });
});
