// The series of the exposition's bench: proxy users with six families each.

import { counter, gauge, type SampleSink } from '../src/lib/family.ts';

const QUOTA_LABELS = ['proxy_user_id', 'product_type'] as const;

const INFO = gauge('proxywatch_proxy_user_info', 'Always 1; what a proxy user is in the labels.', [
  'proxy_user_id',
  'access_type',
  'is_default',
  'is_deleted',
  'strict_security',
  'enforce_https',
]);
const QUOTAS = [
  gauge('proxywatch_proxy_user_limit_bytes', 'Limit in bytes.', QUOTA_LABELS),
  gauge('proxywatch_proxy_user_used_bytes', 'Used in bytes.', QUOTA_LABELS),
  gauge('proxywatch_proxy_user_left_bytes', 'Left in bytes.', QUOTA_LABELS),
  counter('proxywatch_proxy_user_usage_bytes_total', 'Used in bytes, over resets.', QUOTA_LABELS),
  gauge('proxywatch_proxy_user_exhaustion_timestamp_seconds', 'Forecast.', QUOTA_LABELS),
];
const USERS_A_PAGE = 500;

export const FAMILIES = [INFO, ...QUOTAS];

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
    sample(INFO, { proxy_user_id, access_type: 'credentials', ...flags }, 1);
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
