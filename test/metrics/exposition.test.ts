// Tests rendering, selecting and scraping parts. The tests have their own parser.

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counter, gauge, histogram, type SampleSink } from '../../src/lib/family.ts';
import { Exposition, type ExpositionPart } from '../../src/metrics/exposition.ts';
import { headerOf } from '../../src/metrics/text-format.ts';
import { bodyOf, parse, textOf } from './support.ts';

const REQUESTS = counter('x_requests_total', 'Requests, "counted".', ['code']);
const SIZE = gauge('x_size_bytes', 'Size in\nbytes.', []);
const DURATION = histogram('x_duration_seconds', 'Time.', ['url']);
const UNUSED = gauge('x_unused', 'Nothing.', []);
const FAMILIES = [REQUESTS, SIZE, DURATION, UNUSED];

const MAIN: ExpositionPart = { collector: 'traffic', account: 'main' };
const OTHER: ExpositionPart = { collector: 'traffic', account: 'other' };
const USERS: ExpositionPart = { collector: 'users', account: 'main' };
const PROCESS: ExpositionPart = { collector: 'alerts', account: '' };

const size = (value: number) => async (sink: SampleSink) => sink.sample(SIZE, {}, value);

const twoAccounts = async (): Promise<Exposition> => {
  const exposition = new Exposition(FAMILIES);
  await exposition.render(OTHER, async (sink) => {
    sink.sample(SIZE, {}, 0.25);
    sink.sample(REQUESTS, { code: '200' }, 7);
  });
  await exposition.render(MAIN, async (sink) => {
    sink.histogram(DURATION, { url: 'a"b' }, { bounds: [0.5, 1], counts: [1, 3], sum: 2.75, count: 4 });
    sink.sample(REQUESTS, { code: '200' }, 2 ** 53 - 1);
    sink.sample(REQUESTS, { code: '429' }, 0);
  });
  await exposition.render(PROCESS, size(1e21));
  return exposition;
};

const SAMPLES = {
  requests: `x_requests_total{account="main",code="200"} 9007199254740991
x_requests_total{account="main",code="429"} 0
x_requests_total{account="other",code="200"} 7
`,
  size: `x_size_bytes 1e+21
x_size_bytes{account="other"} 0.25
`,
  duration: `x_duration_seconds_bucket{account="main",url="a\\"b",le="0.5"} 1
x_duration_seconds_bucket{account="main",url="a\\"b",le="1.0"} 3
x_duration_seconds_bucket{account="main",url="a\\"b",le="+Inf"} 4
x_duration_seconds_sum{account="main",url="a\\"b"} 2.75
x_duration_seconds_count{account="main",url="a\\"b"} 4
`,
};

describe('the text of a scrape', () => {
  it('has a derived family only if it is listed', async () => {
    const successes = { ...counter('x_successes_total', 'Successes.', []), isDerived: true } as const;
    const textWith = async (families: typeof FAMILIES): Promise<string> => {
      const exposition = new Exposition(families);
      await exposition.render(MAIN, async (sink) => sink.sample(successes, {}, 2));
      return textOf(exposition);
    };
    expect(await textWith(FAMILIES)).toBe('');
    expect(await textWith([...FAMILIES, successes])).toContain('x_successes_total{account="main"} 2\n');
  });

  it('has families in the order given, each contiguous over accounts, and none without samples', async () => {
    expect(await textOf(await twoAccounts())).toBe(`# HELP x_requests_total Requests, "counted".
# TYPE x_requests_total counter
${SAMPLES.requests}# HELP x_size_bytes Size in\\nbytes.
# TYPE x_size_bytes gauge
${SAMPLES.size}# HELP x_duration_seconds Time.
# TYPE x_duration_seconds histogram
${SAMPLES.duration}`);
  });

  it('differs in OpenMetrics only by headers and the end', async () => {
    expect(
      await textOf(await twoAccounts(), {}, 'openmetrics'),
    ).toBe(`# HELP x_requests Requests, \\"counted\\".
# TYPE x_requests counter
${SAMPLES.requests}# HELP x_size_bytes Size in\\nbytes.
# TYPE x_size_bytes gauge
# UNIT x_size_bytes bytes
${SAMPLES.size}# HELP x_duration_seconds Time.
# TYPE x_duration_seconds histogram
# UNIT x_duration_seconds seconds
${SAMPLES.duration}# EOF
`);
  });

  it.each([
    ['x_bytes_total', 'counter', '# UNIT x_bytes bytes'],
    ['x_used_ratio', 'gauge', '# UNIT x_used_ratio ratio'],
    ['x_timestamp_seconds', 'gauge', '# UNIT x_timestamp_seconds seconds'],
    ['x_bytes_total', 'gauge', undefined],
    ['x_seconds_left', 'gauge', undefined],
    ['x_requests_total', 'counter', undefined],
    ['bytes', 'gauge', undefined],
  ] as const)('has for %s, a %s, the unit %s', (name, type, unit) => {
    const family = { name, type, help: 'Help.', labels: [] };
    const unitIn = (format: 'text' | 'openmetrics') => /^# UNIT.*$/m.exec(headerOf(family, format))?.[0];
    expect([unitIn('openmetrics'), unitIn('text')]).toEqual([unit, undefined]);
  });

  it('is empty when nothing was rendered', async () => {
    const exposition = new Exposition(FAMILIES);
    expect(await textOf(exposition)).toBe('');
    expect(await textOf(exposition, {}, 'openmetrics')).toBe('# EOF\n');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, null, undefined])(
    'leaves out the value %s',
    async (value) => {
      const exposition = new Exposition(FAMILIES);
      await exposition.render(MAIN, async (sink) => sink.sample(SIZE, {}, value));
      expect(await textOf(exposition)).toBe('');
    },
  );

  it('names its type, its encoding and its length in bytes', async () => {
    const exposition = await twoAccounts();
    const gzip = await exposition.scrape({ format: 'openmetrics', encoding: 'gzip' });
    expect(gzip.contentType).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores',
    );
    expect(gzip.contentEncoding).toBe('gzip');
    expect(gzip.contentLength).toBe(Buffer.concat(await gzip.body.toArray()).length);
    const plain = await exposition.scrape({ format: 'text', encoding: 'identity' });
    expect(plain.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(plain.contentEncoding).toBeUndefined();
    expect(plain.contentLength).toBe(Buffer.byteLength(await bodyOf(plain)));
  });

  it('is complete over many slices', async () => {
    const exposition = new Exposition(FAMILIES);
    await exposition.render(MAIN, async (sink) => {
      for (let code = 0; code < 10_000; code += 1) {
        sink.sample(REQUESTS, { code: `${code} ✓` }, code);
        if (code % 1_000 === 0) await sink.drain();
      }
    });
    const samples = parse(await textOf(exposition));
    expect(samples.map(({ value }) => value)).toEqual(Array.from({ length: 10_000 }, (_, code) => code));
    expect(samples[9_999]?.labels).toEqual({ account: 'main', code: '9999 ✓' });
    expect(await bodyOf(await exposition.scrape({ format: 'text', encoding: 'identity' }))).toBe(
      await textOf(exposition),
    );
  });

  it('reads back as what was written, whatever the labels and values, in both encodings', async () => {
    const sample = fc.record({ code: fc.string({ unit: 'binary' }), value: fc.double({ noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.array(sample), async (account, samples) => {
        const exposition = new Exposition(FAMILIES);
        await exposition.render({ ...MAIN, account }, async (sink) => {
          for (const { code, value } of samples) sink.sample(REQUESTS, { code }, value);
        });
        const text = await textOf(exposition);
        const finite = samples.filter(({ value }) => Number.isFinite(value));
        expect(parse(text)).toEqual(
          finite.map(({ code, value }) => ({
            name: REQUESTS.name,
            labels: account === '' ? { code } : { account, code },
            value: value + 0,
          })),
        );
        expect(await bodyOf(await exposition.scrape({ format: 'text', encoding: 'identity' }))).toBe(text);
      }),
    );
  });
});

describe('rendering a part', () => {
  it('shows the old samples until all new ones are written, then none of the old', async () => {
    const exposition = new Exposition(FAMILIES);
    await exposition.render(MAIN, size(1));
    const { promise: half, resolve: goOn } = Promise.withResolvers<void>();
    const rendering = exposition.render(MAIN, async (sink) => {
      sink.sample(REQUESTS, { code: '200' }, 2);
      await sink.drain();
      await half;
      sink.sample(REQUESTS, { code: '500' }, 3);
    });
    await setImmediate();
    expect(parse(await textOf(exposition)).map(({ value }) => value)).toEqual([1]);
    goOn();
    await rendering;
    expect(parse(await textOf(exposition)).map(({ value }) => value)).toEqual([2, 3]);
  });

  it('changes nothing when writing fails', async () => {
    const exposition = new Exposition(FAMILIES);
    await exposition.render(MAIN, size(1));
    const failing = exposition.render(MAIN, async (sink) => {
      sink.sample(SIZE, {}, 2);
      throw new Error('the store is gone');
    });
    await expect(failing).rejects.toThrow('the store is gone');
    expect(parse(await textOf(exposition)).map(({ value }) => value)).toEqual([1]);
  });

  it('does not reuse rendered labels when the caller changes the values in the same object', async () => {
    const exposition = new Exposition(FAMILIES);
    await exposition.render(MAIN, async (sink) => {
      const labels = { code: '200' };
      sink.sample(REQUESTS, labels, 1);
      labels.code = '500';
      sink.sample(REQUESTS, labels, 2);
      sink.sample(SIZE, {}, 3);
    });
    expect(parse(await textOf(exposition)).map(({ labels }) => labels)).toEqual([
      { account: 'main', code: '200' },
      { account: 'main', code: '500' },
      { account: 'main' },
    ]);
  });

  it('refuses a family that is not listed, and a list that names one twice', async () => {
    const exposition = new Exposition([REQUESTS]);
    await expect(exposition.render(MAIN, size(1))).rejects.toThrow('x_size_bytes');
    expect(() => new Exposition([SIZE, REQUESTS, SIZE])).toThrow('x_size_bytes is listed twice');
  });
});

describe('selecting parts', () => {
  const valuesOf = async (exposition: Exposition, selection: Parameters<typeof textOf>[1]) =>
    parse(await textOf(exposition, selection)).map(({ value }) => value);

  const fourParts = async (): Promise<Exposition> => {
    const exposition = new Exposition(FAMILIES);
    await exposition.render(MAIN, size(1));
    await exposition.render(USERS, size(2));
    await exposition.render(OTHER, size(3));
    await exposition.render(PROCESS, size(0));
    return exposition;
  };

  it.each([
    [{}, [0, 1, 2, 3]],
    [{ accounts: [], collectors: [] }, [0, 1, 2, 3]],
    [{ accounts: ['main'] }, [0, 1, 2]],
    [{ accounts: ['main', 'other'] }, [0, 1, 2, 3]],
    [{ collectors: ['traffic'] }, [1, 3]],
    [{ accounts: ['main'], collectors: ['users'] }, [2]],
    [{ accounts: ['nobody'], collectors: ['traffic'] }, []],
  ])('by %j', async (selection, values) => {
    const exposition = await fourParts();
    // Once before anything is joined, and once after the whole exposition is cached.
    expect(await valuesOf(exposition, selection)).toEqual(values);
    await textOf(exposition);
    expect(await valuesOf(exposition, selection)).toEqual(values);
  });

  it('no longer shows a dropped part or a dropped account', async () => {
    const exposition = await fourParts();
    await textOf(exposition);
    exposition.drop(OTHER);
    expect(await valuesOf(exposition, {})).toEqual([0, 1, 2]);
    exposition.dropAccount('main');
    expect(await valuesOf(exposition, {})).toEqual([0]);
  });

  /** Starts to render the part. The returned function ends the rendering. */
  const begin = (exposition: Exposition, part: ExpositionPart, value: number): (() => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rendered = exposition.render(part, async (sink) => {
      await promise;
      sink.sample(SIZE, {}, value);
    });
    return () => {
      resolve();
      return rendered;
    };
  };

  it('keeps the rendering that started last, whichever ends first', async () => {
    const exposition = await fourParts();
    const [older, newer] = [begin(exposition, OTHER, 30), begin(exposition, OTHER, 31)];
    await newer();
    await older();
    expect(await valuesOf(exposition, {})).toEqual([0, 1, 2, 31]);
  });

  it('does not restore a part that was dropped while it was rendered', async () => {
    const exposition = await fourParts();
    const end = begin(exposition, OTHER, 30);
    exposition.drop(OTHER);
    await end();
    expect(await valuesOf(exposition, {})).toEqual([0, 1, 2]);
    await exposition.render(OTHER, size(32));
    expect(await valuesOf(exposition, {})).toEqual([0, 1, 2, 32]);
  });
});

it('scrapers of two formats both see the next rendering', async () => {
  const exposition = await twoAccounts();
  for (const bytes of [1, 12]) {
    await exposition.render(MAIN, size(bytes));
    for (const format of ['text', 'openmetrics'] as const)
      expect(await textOf(exposition, {}, format)).toContain(`x_size_bytes{account="main"} ${bytes}\n`);
  }
});

describe('metrics read at scrape time', () => {
  it('come last, are read at each scrape, and follow the selection by their labels', async () => {
    const UNLABELLED = gauge('x_up', 'Up.', []);
    const OWN = counter('x_own_total', 'Own.', ['account', 'collector']);
    let scrapes = 0;
    const exposition = new Exposition(FAMILIES, {
      families: [UNLABELLED, OWN],
      write: async (sink) => {
        scrapes += 1;
        sink.sample(OWN, { account: 'main', collector: 'traffic' }, scrapes);
        sink.sample(OWN, { account: 'other', collector: 'users' }, scrapes);
        sink.sample(UNLABELLED, {}, scrapes);
      },
    });
    await exposition.render(MAIN, size(7));
    const lines = async (selection = {}) => (await textOf(exposition, selection)).trimEnd().split('\n');
    expect((await lines()).filter((line) => !line.startsWith('#'))).toEqual([
      'x_size_bytes{account="main"} 7',
      'x_up 1',
      'x_own_total{account="main",collector="traffic"} 1',
      'x_own_total{account="other",collector="users"} 1',
    ]);
    expect((await lines({ accounts: ['other'] })).slice(-3)).toEqual([
      '# HELP x_own_total Own.',
      '# TYPE x_own_total counter',
      'x_own_total{account="other",collector="users"} 2',
    ]);
    expect((await lines({ collectors: ['nothing'] })).at(-1)).toBe('x_up 3');
  });
});
