// Tests remote write against real engines: what they store, what they refuse, and that the counts say so exactly.

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { MAX_LABEL_CHARACTERS } from '../../../src/lib/family.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import type { Answer } from '../../../src/remote-write/answer.ts';
import { Receiver } from '../../../src/remote-write/receiver.ts';
import type { Protocol } from '../../../src/remote-write/receiver-options.ts';
import { sendBatch } from '../../../src/remote-write/send-batch.ts';
import {
  type Batch,
  type Sample,
  type Series,
  sampleCount,
  withSamples,
} from '../../../src/remote-write/series.ts';
import { engines } from '../engines.ts';
import { AGAIN_AFTER_PANIC, failAfterPanic } from '../server-process.ts';
import { type Engine, startPrometheus, startVictoriaMetrics } from './engines.ts';

const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const SERIES = 20;

/**
 * Hourly samples up to the last full hour, whose sums are whole numbers below 2 ** 53. A longer history contains the
 * samples of a shorter one.
 */
const history = (days: number, factor = 1): Batch =>
  Array.from({ length: SERIES }, (_, i) => ({
    labels: [
      ['__name__', 'proxywatch_history_test_bytes'],
      ['i', `${i}`],
    ] as const,
    samples: Array.from({ length: days * 24 }, (_, hour) => {
      const at = NOW - hour * HOUR;
      return { at, value: factor * (1_000_000_007 * (i + 1) + at / HOUR) };
    }),
  }));

/** A sample with the longest labels of the history, and the most and longest `external_labels`. */
const WIDEST: Batch = [
  {
    labels: [
      ['__name__', 'proxywatch_history_test_bytes'],
      ...Array.from({ length: 20 }, (_, i) => [`e${10 + i}`.padEnd(256, '_'), '€'.repeat(512)] as const),
      ...Array.from({ length: 7 }, (_, i) => [`f${i}`, '€'.repeat(MAX_LABEL_CHARACTERS)] as const),
    ],
    samples: [{ at: NOW, value: 1 }],
  },
];

const indexOf = ({ labels }: Series): string => new Map(labels).get('i') ?? '';

const sums = (batch: Batch, isStored: (sample: Sample) => boolean = () => true) =>
  new Map(
    batch.map((series) => [
      indexOf(series),
      series.samples.filter(isStored).reduce((sum, { value }) => sum + value, 0),
    ]),
  );

const push = async (
  engine: Engine,
  batch: Batch,
  { path = '/api/v1/write', protocol }: { readonly path?: string; readonly protocol?: Protocol } = {},
) => {
  const answers: Answer[] = [];
  const stop = new AbortController();
  await using receiver = new Receiver(
    { name: 'main', url: new Secret(engine.url + path), timeoutMs: 30_000, protocol },
    { clock: systemClock, userAgent: 'proxywatch/test' },
  );
  const context = {
    // Every answer here is final. A wait would be a mistake, and would be long.
    clock: {
      ...systemClock,
      sleep: async () => {
        const last = answers.at(-1);
        if (last?.kind !== 'retry' || !last.isFallback) stop.abort(new Error('the sender waits'));
      },
    },
    random: () => 0,
    encode: (part: Batch) => receiver.encode(part),
    send: (body: Buffer, signal: AbortSignal) => receiver.send(body, signal),
    onAnswer: (answer: Answer) => answers.push(answer),
  };
  const result = await sendBatch(batch, context, stop.signal).catch(() => undefined);
  return { result, answers };
};

const storedSums = (engine: Engine) => engine.query('sum_over_time(proxywatch_history_test_bytes[20d])', NOW);

const totalOf = (values: ReadonlyMap<string, number>): number =>
  [...values.values()].reduce((sum, value) => sum + value, 0);

/** The history with hourly samples of these hours after its end. */
const withFuture = (batch: Batch, hours: number): Batch =>
  batch.map((series, i) => ({
    ...series,
    samples: [
      ...series.samples,
      ...Array.from({ length: hours }, (_, hour) => ({ at: NOW + (hour + 1) * HOUR + HOUR, value: i })),
    ],
  }));

/** Where VictoriaMetrics takes OTLP. Debian's Prometheus is built without it. */
const OTLP = { path: '/opentelemetry/v1/metrics', protocol: 'otlp' } as const;

const majorVersion = async (engine: Engine): Promise<number> => {
  const response = await fetch(`${engine.url}/api/v1/status/buildinfo`);
  const { data } = (await response.json()) as { data: { version: string } };
  return Number.parseInt(data.version, 10);
};

describe.each(engines('prometheus'))('remote write to $name', AGAIN_AFTER_PANIC, ({ path }) => {
  failAfterPanic();
  const start = (window?: string, args?: readonly string[]): Promise<Engine> =>
    startPrometheus(window, args, path);

  it('stores a week to the byte, also when all is sent twice', async () => {
    await using engine = await start('8d');
    await expectTwice(engine);
  });

  it('stores the longest labels', async () => {
    await using engine = await start('8d');
    await expectWidest(engine);
  });

  it('refuses exactly what is older than the window', async () => {
    await using engine = await start('8d');
    await push(engine, history(1));
    const { result, answers } = await push(engine, history(12));
    const isStored = ({ at }: Sample): boolean => at >= NOW - 8 * DAY;
    expect(await storedSums(engine)).toEqual(sums(history(12), isStored));
    const stored = SERIES * (8 * 24 + 1);
    expect(result).toMatchObject({ accepted: stored, refused: SERIES * 12 * 24 - stored });
    expect(result?.reason).toMatch(/^answered [45]00: too old sample/);
    expect(answers.length).toBeLessThan(25 * SERIES);
  });

  it('stores all but the samples that are too new for its clock, which it takes later', async () => {
    await using engine = await start('8d');
    const hasLimit = (await majorVersion(engine)) >= 3;
    const { result, answers } = await push(engine, withFuture(history(7), 3));
    expect(await storedSums(engine)).toEqual(sums(history(7)));
    const early = hasLimit ? SERIES * 3 : 0;
    expect(result).toMatchObject({ accepted: SERIES * (7 * 24 + 3) - early, refused: 0 });
    expect(sampleCount(result?.early?.batch ?? [])).toBe(early);
    expect(answers.length).toBeLessThan(30);
    const labels = [['__name__', 'proxywatch_history_test_bytes'] as const];
    const soon = [{ labels, samples: [{ at: Date.now() + 10 * MINUTE + 2 * SECOND, value: 1 }] }];
    const pushed = await push(engine, soon);
    expect(pushed.result).toMatchObject({ accepted: hasLimit ? 0 : 1, refused: 0 });
    await expect.poll(async () => (await push(engine, soon)).result?.accepted).toBe(1);
  });

  it('refuses only another value of the newest sample, and takes other values of older ones', async () => {
    await using engine = await start('8d');
    await push(engine, history(2));
    const { result } = await push(engine, history(2, 2));
    expect(result).toMatchObject({ accepted: SERIES * 47, refused: SERIES });
    expect(result?.reason).toMatch(/^answered 400: duplicate sample for timestamp/);
  });

  // So a stored sample must never change: which of two values a query returns depends on chunks, restarts and compactions.
  it('stores the same in version 2.0, or gets version 1.0 if it does not take that', async () => {
    await using engine = await start('8d');
    const takes2 = (await majorVersion(engine)) >= 3;
    await push(engine, history(1), { protocol: '2.0' });
    const { result, answers } = await push(engine, history(12), { protocol: '2.0' });
    const isStored = ({ at }: Sample): boolean => at >= NOW - 8 * DAY;
    expect(await storedSums(engine)).toEqual(sums(history(12), isStored));
    const stored = SERIES * (8 * 24 + 1);
    expect(result).toMatchObject({ accepted: stored, refused: SERIES * 12 * 24 - stored });
    const ahead = await push(engine, withFuture(history(1), 3), { protocol: '2.0' });
    expect(ahead.result?.refused).toBe(0);
    expect(sampleCount(ahead.result?.early?.batch ?? [])).toBe(takes2 ? SERIES * 3 : 0);
    expect(answers.filter(({ kind }) => kind === 'retry')).toHaveLength(takes2 ? 0 : 1);
    const written = answers.flatMap((answer) => (answer.kind === 'accepted' ? [answer.written] : []));
    expect(new Set(written.map((count) => typeof count))).toEqual(new Set([takes2 ? 'number' : 'undefined']));
  });

  it('returns either value of an older sample that came with two', async () => {
    await using engine = await start('8d');
    await push(engine, history(2));
    const second = withSamples(history(2, 2), ({ at }) => at < NOW);
    const { result } = await push(engine, second);
    expect(result).toMatchObject({ accepted: SERIES * 47, refused: 0 });
    const [first, both] = [sums(history(2)), await storedSums(engine)];
    await engine.restart();
    const shares = [...both, ...(await storedSums(engine))].map(([i, sum]) => sum / (first.get(i) ?? 0));
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...shares)).toBeGreaterThan(1);
    expect(Math.max(...shares)).toBeLessThan(2);
  });

  it('stores the same samples once, also after restarts', async () => {
    await using engine = await start('8d');
    for (let time = 0; time < 3; time += 1) {
      await push(engine, history(7));
      await engine.restart();
      expect(await storedSums(engine)).toEqual(sums(history(7)));
    }
  });

  it('has the truth less what it refused, without a window', async () => {
    await using engine = await start();
    const newest = history(1).map(({ labels, samples }) => ({ labels, samples: samples.slice(0, 1) }));
    await push(engine, newest);
    const { result } = await push(engine, history(7));
    const stored = totalOf(await engine.query('count_over_time(proxywatch_history_test_bytes[20d])', NOW));
    expect(result?.accepted).toBe(stored);
    expect((result?.accepted ?? 0) + (result?.refused ?? 0)).toBe(SERIES * 7 * 24);
    expect(result?.refused).toBeGreaterThan(0);
  });

  it('loses nothing with OTLP at the address of remote write', async () => {
    await using engine = await start('8d');
    const { result, answers } = await push(engine, history(1), { protocol: 'otlp' });
    expect(result).toBeUndefined();
    expect(answers).toMatchObject([{ kind: 'misconfigured' }]);
  });

  it.each([
    ['with a wrong path', '/api/v1/wirte', undefined],
    ['that takes no remote write', '/api/v1/write', []],
  ])('loses nothing %s', async (_, address, args) => {
    await using engine = await start('8d', args);
    await expectMisconfigured(engine, address, '404');
  });
});

describe.each(engines('victoria-metrics'))('remote write to $name', ({ name, path }) => {
  it('stores the longest labels', async () => {
    await using engine = await startVictoriaMetrics(path);
    await expectWidest(engine);
  });

  it('stores a week to the byte, also when all is sent twice', async () => {
    await using engine = await startVictoriaMetrics(path);
    await expectTwice(engine);
  });

  it('stores a week in version 2.0, or gets version 1.0 if it does not take that', async () => {
    await using engine = await startVictoriaMetrics(path);
    const week = history(7);
    const { result } = await push(engine, week, { protocol: '2.0' });
    expect(result).toMatchObject({ accepted: SERIES * 7 * 24, refused: 0 });
    expect(await storedSums(engine)).toEqual(sums(week));
  });

  it('stores a week by OTLP, also when all is sent twice, if it has OTLP', async () => {
    await using engine = await startVictoriaMetrics(path);
    for (const time of ['first', 'second']) {
      const { result, answers } = await push(engine, history(7), OTLP);
      // 1.79 has no OTLP.
      if (name.includes('installed')) return expect(answers).toMatchObject([{ kind: 'misconfigured' }]);
      expect([time, result?.accepted, answers.length]).toEqual([time, SERIES * 7 * 24, 1]);
      expect(await storedSums(engine)).toEqual(sums(history(7)));
    }
  });

  it.each([
    ['OTLP at the address of remote write', { protocol: 'otlp' }],
    ['remote write at the address of OTLP', { path: OTLP.path }],
  ] as const)('loses nothing with %s', async (_, options) => {
    await using engine = await startVictoriaMetrics(path);
    const { result, answers } = await push(engine, history(1), options);
    expect(result).toBeUndefined();
    expect(answers).toMatchObject([{ kind: 'misconfigured', reason: expect.stringContaining('400') }]);
  });

  it('loses nothing with a wrong path', async () => {
    await using engine = await startVictoriaMetrics(path);
    await expectMisconfigured(engine, '/api/v1/wirte', '400');
  });
});

const expectTwice = async (engine: Engine): Promise<void> => {
  const week = history(7);
  for (const time of ['first', 'second']) {
    const { result, answers } = await push(engine, week);
    expect({ time, answers, result }).toMatchObject({
      ...{ time, answers: [{ kind: 'accepted' }], result: { accepted: SERIES * 7 * 24 } },
    });
    expect(await storedSums(engine)).toEqual(sums(week));
  }
};

const expectWidest = async (engine: Engine): Promise<void> => {
  await push(engine, WIDEST);
  const [found] = await engine.vector('proxywatch_history_test_bytes', NOW);
  expect(found?.labels).toEqual(Object.fromEntries(WIDEST[0]?.labels ?? []));
};

const expectMisconfigured = async (engine: Engine, path: string, status: string): Promise<void> => {
  const { result, answers } = await push(engine, history(1), { path });
  expect(result).toBeUndefined();
  expect(answers).toMatchObject([{ kind: 'misconfigured', reason: expect.stringContaining(status) }]);
};
