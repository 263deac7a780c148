// Defines the schema of the provider report: how the provider's answers differ from their documentation.

import { z } from 'zod';

const count = z.int().min(0);
const name = z.string();

const spread = z
  .strictObject({ count, min: z.number(), median: z.number(), p95: z.number(), max: z.number() })
  .describe('Of all measurements; median and p95 of the newest 100')
  .nullable();

const typeCounts = z.record(name, count).describe('Number of values by their type');

const field = z.strictObject({
  path: name.describe('`[]` stands for the items of a list, `{}` for the keys of a map'),
  documented: name.describe('The documented type'),
  expected: count.describe('How often the field was expected'),
  missing: count,
  null: count,
  other_types: typeCounts,
  unknown_words: count.describe('Values that are none of the documented words'),
});

const unknownFields = z.strictObject({
  path: name.describe('The object that has the fields; empty for the answer itself'),
  named: z.array(
    z.strictObject({ name: name.describe('`*` stands for words that are not shown'), types: typeCounts }),
  ),
  others: count.describe('How often further unknown fields occurred'),
});

const comparison = {
  compared_answers: count.describe('The first 50 answers, then a random twentieth; none of more than 4 MB'),
  fields: z.array(field).describe('Documented fields that differ from their documentation'),
  unknown_fields: z.array(unknownFields),
};

const totals = z.strictObject({ rule: name, compared: count, different: count });

const pages = z
  .strictObject({
    pages: count,
    unordered_pages: count.describe('Items are in no usual order of their id'),
    overlapping_pages: count.describe(
      'The first id is before the last id of the page before, with the same total',
    ),
    short_pages: count.describe('Fewer items than requested, although there are more'),
    long_pages: count.describe('More items than requested'),
    other_numbers: count.describe('`page` or `per_page` is not the requested one'),
    uncounted_pages: count.describe('`total_count` is -1'),
    changed_totals: count.describe('`total_count` differs from that of the page before'),
    wrong_last_pages: count.describe('The number of items does not fit `total_count`'),
  })
  .nullable();

const rateLimits = z
  .strictObject({
    answers: count,
    header_seconds: count.describe('`Retry-After` has seconds'),
    header_date: count.describe('`Retry-After` has a date'),
    header_other: count.describe('`Retry-After` has anything else'),
    message_time: count.describe('The message names a time'),
    without_time: count.describe('Neither names a time'),
    wait_seconds: spread,
  })
  .nullable();

const minutes = z
  .strictObject({
    answers: count,
    buckets: count,
    empty: count.describe('Buckets without traffic'),
    absent: count.describe('Minutes between the first and the last bucket that have no bucket'),
    repeated: count,
    outside: count.describe('Buckets outside of the requested period'),
    ascending_answers: count,
    descending_answers: count,
    unordered_answers: count,
    newest_age_seconds: spread.describe(
      'Since the start of the newest bucket with traffic, if the times are in UTC. Another zone adds its offset',
    ),
    changed_age_seconds: spread.describe('Ages at which buckets of the whole account still changed'),
  })
  .nullable();

const endpoint = z.strictObject({
  endpoint: name,
  requests: z.record(name, count).describe('By status, or by `timeout`, `network` or `bad_response`'),
  bytes: spread.describe('Sizes of answers'),
  seconds: spread.describe('Durations of requests that were answered'),
  ...comparison,
  totals: z.array(totals).describe('Numbers that should be equal'),
  pages,
  rate_limits: rateLimits,
  minutes,
  newest_result_age_seconds: spread.describe(
    'Age of the newest result in the answers to proxy tests, if the provider’s times are in UTC',
  ),
  errors: z.strictObject(comparison).describe('The same for the bodies of refused requests'),
});

export const providerReport = z
  .strictObject({
    about: name,
    version: name.describe('Version of proxywatch'),
    accounts: z.array(
      z.strictObject({
        account: count.describe('Position in the configuration, from 1'),
        clock_ahead_seconds: spread.describe('The provider’s clock minus this machine’s'),
        endpoints: z.array(endpoint),
      }),
    ),
  })
  .meta({ id: 'ProviderReport' });

export type ProviderReport = z.output<typeof providerReport>;
