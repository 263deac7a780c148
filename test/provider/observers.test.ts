// Tests that a request goes on if its observer throws, and that odd answers do not disturb the report.

import { describe, expect, test } from 'vitest';
import type { ProviderObserver } from '../../src/provider/client-options.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { AccountReport } from '../../src/provider/report/account-report.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { connect, type Reply, startFakeProvider } from '../support/fake-provider.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ENDPOINT = 'asn/search';

/** Sends one request, and returns its outcome, its codes and the seconds of the pause. */
const send = async (reply: Reply, observer: Partial<ProviderObserver>) => {
  await using provider = await startFakeProvider(() => reply);
  const responses: string[] = [];
  await using client = connect(provider, {
    clock: new FakeClock(NOW),
    observer: {
      onResponse: ({ code }) => responses.push(code),
      onServerDate: () => {},
      ...observer,
    },
  });
  const outcome = await client.get(ENDPOINT).catch((error: unknown) => error);
  const pausedSeconds = client.endpoints.pauseLeftMs(ENDPOINT) / 1_000;
  return { outcome, responses, pausedSeconds };
};

const refusal = (body: unknown): Reply => ({ status: 429, headers: { 'retry-after': '45' }, body });
const fail = (): never => {
  throw new TypeError('the observer is broken');
};

describe('an observer that throws', () => {
  test('does not fail a request, and is reported once', async () => {
    const failures: unknown[] = [];
    const { outcome } = await send(
      { body: { data: 1 } },
      { onAnswer: fail, onServerDate: fail, onResponse: fail, onFailure: (error) => failures.push(error) },
    );
    expect(outcome).toEqual({ data: 1 });
    expect(failures).toEqual([new TypeError('the observer is broken')]);
  });

  test('does not prevent the pause after a 429', async () => {
    const { outcome, responses, pausedSeconds } = await send(refusal({ message: 'Slow down.' }), {
      onAnswer: fail,
    });
    expect(outcome).toBeInstanceOf(ProviderError);
    expect(responses).toEqual(['429']);
    expect(pausedSeconds).toBeGreaterThanOrEqual(45);
  });
});

/** Very deep JSON, which JSON.stringify cannot write. */
const DEPTH = 100_000;
const DEEP = `{"message":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;

describe('a 429 whose message is no text', () => {
  test.each([
    ['an object that cannot become a text', '{"message":{"toString":null}}'],
    ['very deep', DEEP],
  ])('is reported, and pauses the endpoint: %s', async (_, body) => {
    const report = new AccountReport('UTC');
    const failures: unknown[] = [];
    const { responses, pausedSeconds } = await send(refusal(body), {
      onAnswer: (answer) => report.observe(answer),
      onFailure: (error) => failures.push(error),
    });
    expect(failures).toEqual([]);
    expect(responses).toEqual(['429']);
    expect(pausedSeconds).toBeGreaterThanOrEqual(45);
    expect(report.toJson(1).endpoints[0]?.rate_limits).toMatchObject({ answers: 1, header_seconds: 1 });
  });
});

test('the duration of a request does not include the work of its observer', async () => {
  const clock = new FakeClock(NOW);
  await using provider = await startFakeProvider(() => ({ body: { data: 1 } }));
  const durations: number[] = [];
  await using client = connect(provider, {
    clock,
    observer: {
      onResponse: ({ durationMs }) => durations.push(durationMs),
      onServerDate: () => {},
      onAnswer: () => clock.advance(5_000),
    },
  });
  await client.get(ENDPOINT);
  expect(durations).toEqual([0]);
});
