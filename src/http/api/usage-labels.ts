// Splits the charged bytes of proxy users, and what they cost, by the labels from the metadata of the users.

import type { z } from 'zod';
import { LabelSums } from '../../lib/label-parts.ts';
import type { ChargedBytes, UseSum } from '../../store/log-summary-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { type CostOf, costOfCharged } from './cost.ts';
import { count, orNull } from './item.ts';
import { labelPartsJson, labelPartsOf } from './label-parts.ts';

const amounts = { users: count, charged_bytes: orNull.count, cost: costOfCharged };
export const labelUsage = labelPartsOf(amounts, { subjects: 'Users', most: 'charged bytes' }).meta({
  id: 'LabelUsage',
});

export const labelsOfUsers = ({ settings, userOptions }: AccountView): readonly string[] =>
  settings.proxy_users ? userOptions.labels_from_metadata : [];

const SLICE_USERS = 1_000;

/** Splits the charged bytes of these users. */
export const readLabelUsage = async (
  found: AccountView,
  users: readonly UseSum[],
  costOf: CostOf,
): Promise<z.output<typeof labelUsage>[]> => {
  const { name } = found.settings;
  const parts = labelsOfUsers(found).map((label) => new LabelSums(label, AMOUNTS));
  for (let start = 0; start < users.length; start += SLICE_USERS) {
    const slice = users.slice(start, start + SLICE_USERS);
    const ids = slice.map(({ key }) => String(key));
    const details = await found.store.users.details(name, ids);
    for (const { key, values, charged } of slice)
      for (const part of parts)
        part.add({ users: 1, bytes: values[2] ?? null, charged }, details.get(String(key))?.metadata);
  }
  return parts.map((part) =>
    labelPartsJson(name, part.result(), ({ users: number, bytes, charged }) => ({
      ...{ users: number, charged_bytes: bytes, cost: costOf(charged) },
    })),
  );
};

interface ChargedUsers {
  readonly users: number;
  readonly bytes: number | null;
  readonly charged: ChargedBytes;
}

const sumOf = (one: number | null, other: number | null): number | null =>
  one === null ? other : one + (other ?? 0);

const AMOUNTS = {
  none: { users: 0, bytes: null, charged: { residential: null, mobile: null } },
  sum: (one: ChargedUsers, other: ChargedUsers): ChargedUsers => ({
    users: one.users + other.users,
    bytes: sumOf(one.bytes, other.bytes),
    charged: {
      residential: sumOf(one.charged.residential, other.charged.residential),
      mobile: sumOf(one.charged.mobile, other.charged.mobile),
    },
  }),
  sizeOf: ({ bytes }: ChargedUsers) => bytes ?? 0,
};
