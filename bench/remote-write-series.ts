// Makes the series that all senders of the remote write benchmark send, as a batch and as an exposition.

import type { Batch, Series } from '../src/remote-write/series.ts';

const METRIC = 'proxywatch_history_user_traffic_bytes';
/** The agents add these labels to what they scrape. */
export const JOB = 'bench';
export const INSTANCE = 'bench:80';

const userOf = (index: number): string => `user-${(index * 7_919) % 1_000_003}`;

/** A value that no compression guesses, and that is new in each round. */
const sampleValue = (index: number, round: number): number => ((index + 1) * 1_000_003 * (round + 17)) % 1e10;

/** One sample of each series, as a scrape gives. */
export const batchOf = (from: number, count: number, round: number, at: number): Batch =>
  Array.from({ length: count }, (_, offset): Series => {
    const index = from + offset;
    return {
      labels: [
        ['__name__', METRIC],
        ['account', 'main'],
        ['instance', INSTANCE],
        ['job', JOB],
        ['product_type', 'residential'],
        ['proxy_user_id', userOf(index)],
      ],
      samples: [{ at, value: sampleValue(index, round) }],
    };
  });

/** The same samples as an exposition, without the labels that a scraper adds. */
export const expositionOf = (count: number, round: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `${METRIC}{account="main",product_type="residential",proxy_user_id="${userOf(index)}"} ${sampleValue(index, round)}\n`,
  ).join('');
