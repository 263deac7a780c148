// The series of the exposition's bench: proxy users with six families each.

import { userFamilies } from '../src/collectors/proxy-users/families.ts';
import type { SampleSink } from '../src/lib/family.ts';

const { info, limit, used, left, usage, exhaustion } = userFamilies;
const QUOTAS = [limit, used, left, usage, exhaustion];
const USERS_A_PAGE = 500;

export const FAMILIES = [info, ...QUOTAS];

/** Calls `write` for every series in the order a collector would: user by user. */
export const eachSeries = async (
  users: number,
  sample: SampleSink['sample'],
  endPage: () => Promise<void> = async () => {},
): Promise<void> => {
  for (let user = 0; user < users; user += 1) {
    const proxy_user_id = `user-${scramble(user).toString(36)}`;
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

// Values as hard to compress as real ones: some ten digits, none like its neighbour.
const figureOf = (user: number, index: number): number =>
  scramble(user * QUOTAS.length + index) * 16 + (scramble(user + index) % 16);

/** A well mixed 32-bit number of each number (the end of MurmurHash3). */
const scramble = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};
