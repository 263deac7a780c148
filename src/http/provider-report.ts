// Defines the schema of the provider report: how the provider's answers differ from their documentation.

import { z } from 'zod';

const count = z.int().min(0);
const name = z.string();

const spread = z
  .strictObject({ count, min: z.number(), median: z.number(), p95: z.number(), max: z.number() })
  .describe('`median` and `p95` cover the newest 100 values. The other fields cover all values')
  .nullable();

const typeCounts = z.record(name, count).describe('Number of values of each type');

const field = z.strictObject({
  path: name.describe('Path of the field. `[]` means the items of a list, and `{}` means the keys of a map'),
  documented: name.describe('The documented type'),
  expected: count.describe('How often proxywatch expected the field'),
  missing: count,
  null: count,
  other_types: typeCounts,
  unknown_words: count.describe('Number of values that are not in the documented list of words'),
});

const unknownFields = z.strictObject({
  path: name.describe(
    'Path of the object that contains the unknown fields. The path is empty for the answer itself',
  ),
  named: z.array(
    z.strictObject({
      name: name.describe('Name of the field. `*` replaces each word that the report does not show'),
      types: typeCounts,
    }),
  ),
  others: count.describe('How often further unknown fields occurred'),
});

const comparison = {
  compared_answers: count.describe(
    'Number of compared answers: the first 50 answers, and about one of 20 later answers. proxywatch does not compare answers of more than 4 MB',
  ),
  fields: z.array(field).describe('Documented fields whose values differ from the documentation'),
  unknown_fields: z.array(unknownFields),
};

const totals = z.strictObject({ rule: name, compared: count, different: count });

const pages = z
  .strictObject({
    pages: count,
    unordered_pages: count.describe('Pages whose ids are in no usual order'),
    overlapping_pages: count.describe(
      'Pages whose first id comes before the last id of the previous page, although `total_count` is the same',
    ),
    short_pages: count.describe('Pages with fewer items than requested, although the list has more items'),
    long_pages: count.describe('Pages with more items than requested'),
    other_numbers: count.describe('Pages whose `page` or `per_page` differs from the request'),
    uncounted_pages: count.describe('Pages whose `total_count` is -1'),
    changed_totals: count.describe(
      'Pages whose `total_count` differs from the `total_count` of the previous page',
    ),
    wrong_last_pages: count.describe('Last pages whose number of items does not match `total_count`'),
  })
  .nullable();

const rateLimits = z
  .strictObject({
    answers: count,
    header_seconds: count.describe('Answers whose `Retry-After` contains seconds'),
    header_date: count.describe('Answers whose `Retry-After` contains a date'),
    header_other: count.describe('Answers whose `Retry-After` contains another text'),
    message_time: count.describe('Answers whose message contains a waiting time'),
    without_time: count.describe('Answers without a waiting time'),
    wait_seconds: spread,
  })
  .nullable();

const minutes = z
  .strictObject({
    answers: count,
    buckets: count,
    empty: count.describe('Buckets without traffic'),
    absent: count.describe('Minutes without a bucket between the first and the last bucket of an answer'),
    repeated: count,
    outside: count.describe('Buckets outside the requested period'),
    ascending_answers: count,
    descending_answers: count,
    unordered_answers: count,
    newest_age_seconds: spread.describe(
      'Time since the start of the newest bucket with traffic, if the provider’s times are in UTC. If the provider’s time zone is ahead of UTC, the value is lower by the offset of the zone',
    ),
    changed_age_seconds: spread.describe('Ages of buckets whose bytes changed from one answer to the next'),
  })
  .nullable();

const endpoint = z.strictObject({
  endpoint: name,
  requests: z
    .record(name, count)
    .describe('Number of requests by the status of the answer, or by `timeout`, `network` or `bad_response`'),
  bytes: spread.describe('Sizes of complete answers'),
  seconds: spread.describe('Durations of requests with a complete answer'),
  ...comparison,
  totals: z.array(totals).describe('Rules about numbers that must be equal'),
  pages,
  rate_limits: rateLimits,
  minutes,
  newest_result_age_seconds: spread.describe(
    'Age of the newest result in each answer to a proxy test, if the provider’s times are in UTC',
  ),
  errors: z.strictObject(comparison).describe('Differences in answers with a status of 400 or more'),
});

export const providerReport = z
  .strictObject({
    about: name,
    version: name.describe('Version of proxywatch'),
    accounts: z.array(
      z.strictObject({
        account: count.describe('Position of the account in the configuration, beginning with 1'),
        clock_ahead_seconds: spread.describe(
          'Time on the provider’s clock minus the time on the clock of this machine',
        ),
        endpoints: z.array(endpoint),
      }),
    ),
  })
  .meta({ id: 'ProviderReport' });

export type ProviderReport = z.output<typeof providerReport>;
