// Generates the series of the exposition benchmark: proxy users with six families each.

import { userFamilies } from '../src/collectors/proxy-users/families.ts';
import type { SampleSink } from '../src/lib/family.ts';

const { info, limit, used, left, usage, exhaustion } = userFamilies;
const QUOTAS = [limit, used, left, usage, exhaustion];
const USERS_A_PAGE = 500;

export const FAMILIES = [info, ...QUOTAS];

/** Calls `sample` for every series in the order of a collector: user by user. */
export const eachSeries = async (
  users: number,
  sample: SampleSink['sample'],
  endPage: () => Promise<void> = async () => {},
): Promise<void> => {
  for (let user = 0; user < users; user += 1) {
    const proxy_user_id = `user-${scrambled(user).toString(36)}`;
    const flags = {
      is_default: 'false',
      is_deleted: 'false',
      strict_security: 'true',
      enforce_https: 'false',
    };
    sample(info, { proxy_user_id, access_type: 'credentials', ...flags }, 1);
    const quota = { proxy_user_id, product_type: 'residential' };
    for (const [index, family] of QUOTAS.entries()) sample(family, quota, figureOf(user, index));
    if (user % USERS_A_PAGE === 0) await endPage();
  }
};

// The values are as hard to compress as real ones: about ten digits, and each differs from its neighbours.
const figureOf = (user: number, index: number): number =>
  scrambled(user * QUOTAS.length + index) * 16 + (scrambled(user + index) % 16);

/** Returns a well distributed 32-bit number for a number (the finalizer of MurmurHash3). */
const scrambled = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};
