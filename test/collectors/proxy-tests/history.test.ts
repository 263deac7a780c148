// Tests the history of test results by hour: what a receiver of remote write gets, and how ranges are read.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testHistory } from '../../../src/collectors/proxy-tests/history.ts';
import type { ProxyTestOptions } from '../../../src/collectors/proxy-tests/options.ts';
import { proxyTests } from '../../../src/collectors/proxy-tests/proxy-tests.ts';
import { accountSettings, collectorsOf } from '../../../src/daemon/settings.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { RecordingReceiver } from '../../remote-write/recording-receiver.ts';
import { buildTests, callsOf, hostOf, START, type TestCall, URLS } from './tests-harness.ts';

const FIRST_HOUR = Math.floor(Date.parse(START) / HOUR) * HOUR;
const TESTERS = 2;

/** Sums of the received samples by name, labels and hour. */
const receivedSamples = ({ accepted }: RecordingReceiver): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { series } of accepted)
    for (const { labels, samples } of series) {
      const { __name__: name = '', account: _, ...others } = Object.fromEntries(labels);
      for (const { at, value } of samples) {
        const hour = (at - FIRST_HOUR) / HOUR;
        sums[`${name.replace('proxywatch_history_', '')} ${Object.values(others)} ${hour}`] = value;
      }
    }
  return sums;
};

/** The number of proxies that these calls tested in the hour. */
const testedIn = (calls: readonly TestCall[], hour: number): number => {
  const from = FIRST_HOUR + hour * HOUR;
  return calls.filter(({ at }) => at >= from && at < from + HOUR).flatMap(({ lines }) => lines).length;
};

const isOfFirstProxy = (line: string): boolean => line.startsWith(`${hostOf(0)}:`);

it('a receiver gets each hour of results once the hour is over, by target and by tester', async () => {
  await using receiver = await RecordingReceiver.start();
  await using harness = await buildTests({
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '2d' }],
  });
  const successful = callsOf(harness).length;
  harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(0) });
  for (let step = 0; step < 18; step += 1) await harness.advance(10 * MINUTE);
  const calls = callsOf(harness);
  const failures = calls
    .slice(successful)
    .map((call) => ({ ...call, lines: call.lines.filter(isOfFirstProxy) }));
  const expected: Record<string, number> = {};
  for (const hour of [0, 1]) {
    const [all, failed] = [testedIn(calls, hour), testedIn(failures, hour)];
    expect(Math.min(all, failed)).toBeGreaterThan(0);
    for (const url of ['https://www.example.com/', 'shop']) {
      expected[`target_test_results ${url} ${hour}`] = all * TESTERS;
      expected[`target_test_failures ${url} ${hour}`] = failed * TESTERS;
    }
    for (const tester of ['london', 'frankfurt']) {
      expected[`tester_test_results ${tester} ${hour}`] = all * URLS.length;
      expected[`tester_test_failures ${tester} ${hour}`] = failed * URLS.length;
    }
  }
  expect(receivedSamples(receiver)).toEqual(expected);
});

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

it('a range gives the same rows however it is split', async () => {
  await using harness = await buildTests();
  for (let hour = 0; hour < 5; hour += 1) await harness.advance(HOUR);
  const { settings, clock } = harness;
  const { store } = harness.app;
  const contexts = settings.accounts.flatMap((account) =>
    collectorsOf(account)
      .filter(({ collector }) => collector === proxyTests)
      .map(({ options }) => ({
        account: accountSettings(account, settings),
        options: options as ProxyTestOptions,
        ...{ store, clock },
      })),
  );
  const [context] = contexts;
  if (!context) throw new Error('the proxy tests are off');
  const end = clock.now() + HOUR;
  const time = fc.integer({ min: FIRST_HOUR - 40 * DAY, max: end });
  for (const source of testHistory)
    for (const stream of await source.streams(context)) {
      const rowsIn = async (from: number, to: number) => collect(source.read(context, stream, { from, to }));
      const whole = await rowsIn(0, end);
      expect(whole.length).toBeGreaterThan(3);
      await fc.assert(
        fc.asyncProperty(time, async (middle) => {
          expect([...(await rowsIn(0, middle)), ...(await rowsIn(middle, end))]).toEqual(whole);
        }),
        { numRuns: 30 },
      );
    }
});
