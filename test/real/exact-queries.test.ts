// Tests on real engines that the exact queries of the reference return the growth of a counter to the byte.

import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { writeRequestBody } from '../../src/remote-write/write-request.ts';
import { codeBlocksIn } from '../docs/documents.ts';
import { engines } from './engines.ts';
import { type Engine, startPrometheus, startVictoriaMetrics } from './remote-write/engines.ts';
import { describeWith } from './with-programs.ts';

const COUNTER = 'proxywatch_residential_ledger_used_bytes_total';
const OLD_QUERY = `increase(${COUNTER}{reason="usage"}[30d])`;
const [QUERIES = ''] = codeBlocksIn('docs/reference/metrics.md')
  .map(({ text }) => text)
  .filter((text) => text.includes(' anchored)'));
/** The exact query for an engine. A query ends with a comment that begins with the engine's name. */
const queryFor = (engine: string): string =>
  new RegExp(`^(.+?) +# ${engine}`, 'm').exec(QUERIES)?.[1] ?? expect.fail(`no query for ${engine}`);

const END = Math.floor(Date.now() / DAY) * DAY - DAY;
const START = END - 30 * DAY;
/** No scrape is at the start or the end of the range. */
const SCRAPED_EVERY = 2 * MINUTE;
const FIRST_SCRAPE = START - 2 * DAY + 23 * SECOND;
const BEGINNING = START + 10 * DAY;
const RESTORE = START + 20 * DAY;
const FIRST_STEP_HOLD = 4 * MINUTE;

/** Bytes since a time, with steps of very different sizes. */
const usedSince = (since: number, at: number): number => {
  const hours = Math.floor((at - since) / HOUR);
  return hours * 7_654_321_987 + Math.floor(hours / 50) * 999_999_999_937;
};
const LONG_AGO = START - 90 * DAY;

/** The counters that the engine scrapes, by the label `i`: their value at a time, if there is one. */
const COUNTERS: Readonly<Record<string, (at: number) => number | undefined>> = {
  steady: (at) => usedSince(LONG_AGO, at),
  begun: (at) => {
    if (at < BEGINNING) return undefined;
    return at < BEGINNING + FIRST_STEP_HOLD ? 0 : usedSince(BEGINNING - DAY, at);
  },
  firstScrapedLate: (at) => (at < BEGINNING ? undefined : usedSince(LONG_AGO, at)),
  restored: (at) => {
    if (at < RESTORE) return usedSince(LONG_AGO, at);
    return at < RESTORE + FIRST_STEP_HOLD ? 0 : usedSince(RESTORE - DAY, at);
  },
  ended: (at) => (at > END - DAY ? undefined : usedSince(LONG_AGO, at)),
};

const samplesOf = (valueAt: (at: number) => number | undefined) => {
  const samples: { at: number; value: number }[] = [];
  for (let at = FIRST_SCRAPE; at <= END; at += SCRAPED_EVERY) {
    const value = valueAt(at);
    if (value !== undefined) samples.push({ at, value });
  }
  return samples;
};

/** What the engine saw the counter grow by within the range. */
const growthOf = (valueAt: (at: number) => number | undefined): number => {
  let [growth, last] = [0, Number.NaN];
  for (const { at, value } of samplesOf(valueAt)) {
    if (at > START && value !== last && !Number.isNaN(last)) growth += value < last ? value : value - last;
    last = value;
  }
  return growth;
};
const growthOfThese = (names: readonly string[]) =>
  new Map(names.map((name) => [name, growthOf(COUNTERS[name] ?? expect.fail(name))]));
const NAMES = Object.keys(COUNTERS);

const push = async ({ url }: Engine): Promise<void> => {
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  for (const [name, valueAt] of Object.entries(COUNTERS)) {
    const labels = Object.entries({ __name__: COUNTER, account: 'main', i: name, reason: 'usage' });
    const body = writeRequestBody([{ labels, samples: samplesOf(valueAt) }]);
    const answer = await fetch(`${url}/api/v1/write`, { method: 'POST', body, headers });
    if (!answer.ok) throw new Error(await answer.text());
  }
};

const ONE_BLOCK = [
  '--web.enable-remote-write-receiver',
  '--storage.tsdb.retention.time=10y',
  '--storage.tsdb.min-block-duration=31d',
  '--storage.tsdb.max-block-duration=1y',
];

describeWith(['prometheus', 'victoria-metrics'], 'the exact query', () => {
  test.each(engines('victoria-metrics'))('is exact on $name for every counter', async ({ path }) => {
    await using engine = await startVictoriaMetrics(path);
    await push(engine);
    expect(await engine.query(queryFor('VictoriaMetrics'), END)).toEqual(growthOfThese(NAMES));
    // It is the same as in Prometheus, and increase_pure() adds what was used before the first scrape.
    expect(queryFor('VictoriaMetrics')).toBe(OLD_QUERY);
    const pure = await engine.query(OLD_QUERY.replace('increase', 'increase_pure'), END);
    const growth = growthOfThese(NAMES);
    const differing = [...pure].filter(([name, value]) => value !== growth.get(name));
    expect(differing.map(([name]) => name)).toEqual(['firstScrapedLate']);
    const scraped = samplesOf(COUNTERS.firstScrapedLate ?? expect.fail());
    expect(pure.get('firstScrapedLate')).toBe(scraped.at(-1)?.value);
  });

  test.each(engines('prometheus'))('is exact on $name without a restore', async ({ path }) => {
    await using engine = await startPrometheus('60d', ONE_BLOCK, path);
    await push(engine);
    const exact = ['steady', 'begun', 'firstScrapedLate'];
    const results = await engine.query(queryFor('Prometheus'), END);
    expect(new Map(exact.map((name) => [name, results.get(name)]))).toEqual(growthOfThese(exact));
    // Only the restored counter is wrong, and only it has a reset.
    expect([...results.keys()].toSorted()).toEqual([...exact, 'restored'].toSorted());
    const resets = await engine.query(`resets(${COUNTER}[30d]) > 0`, END);
    expect([...resets.keys()]).toEqual(['restored']);
    // The query with increase() is near for all counters, and exact for none.
    const near = await engine.query(OLD_QUERY, END);
    for (const [name, growth] of growthOfThese(NAMES)) {
      expect(near.get(name)).not.toBe(growth);
      expect((near.get(name) ?? 0) / growth).toBeCloseTo(1, 3);
    }
  });
});
