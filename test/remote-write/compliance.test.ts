// Tests the cases of github.com/prometheus/compliance for senders of remote write 1.0 (remote_write_sender and remotewrite/sender).
//
// These cases of the original do not apply, because proxywatch sends stored history and scrapes nothing:
// - Counter, Gauge, Histogram, Summary: whether a scraped exposition is read correctly. Here, all series are sums.
// - Up, Staleness: series and markers that only a scraper can make.
// - Invalid: what to do with an exposition that cannot be read.
// - JobLabel, InstanceLabel, HonorLabels: labels that a scraper adds.

import { describe, expect, it } from 'vitest';
import type { Batch } from '../../src/remote-write/series.ts';
import { NOW, oneSample, seriesOf, startSender, USER_AGENT } from './support.ts';

const samples = [{ at: Date.parse(NOW), value: 1 }];

describe('the cases of prometheus/compliance', () => {
  it('SortedLabels: labels are sorted by name', async () => {
    const labels = [
      ['b', '2'],
      ['__name__', 'test'],
      ['a', '1'],
    ] as const;
    expect(await namesSent([{ labels, samples }])).toEqual([['__name__', 'a', 'b']]);
  });

  it('EmptyLabels: a label without a value is not sent', async () => {
    const labels = [
      ['__name__', 'test'],
      ['a', ''],
    ] as const;
    expect(await namesSent([{ labels, samples }])).toEqual([['__name__']]);
  });

  it('RepeatedLabels: a series with a repeated label is not sent', async () => {
    const labels = [
      ['__name__', 'test'],
      ['a', '1'],
      ['a', '1'],
    ] as const;
    await using sender = await startSender();
    await expect(sender.send([{ labels, samples }])).rejects.toThrow('a twice');
    expect(sender.server.requests).toEqual([]);
  });

  it('NameLabel: a series without a name is not sent', async () => {
    await using sender = await startSender();
    await expect(sender.send([{ labels: [['label', 'value']], samples }])).rejects.toThrow(
      'no label __name__',
    );
    expect(sender.server.requests).toEqual([]);
  });

  it('Timestamp: times are in ms, and are those of the samples', async () => {
    await using sender = await startSender();
    await sender.send([{ labels: [['__name__', 'now']], samples }]);
    expect(sender.server.requests[0]?.series[0]?.samples).toEqual([{ at: 1_772_366_400_000, value: 1 }]);
  });

  it('Headers: the headers are those of the protocol', async () => {
    await using sender = await startSender();
    await sender.send(oneSample);
    expect(sender.server.requests[0]).toMatchObject({
      method: 'POST',
      headers: {
        'content-encoding': 'snappy',
        'content-type': 'application/x-protobuf',
        'x-prometheus-remote-write-version': '0.1.0',
        'user-agent': USER_AGENT,
      },
    });
  });

  it('Ordering: the samples of a series arrive in order of time, and never two requests at once', async () => {
    await using sender = await startSender();
    for (const start of [1_000, 4_000]) await sender.send([seriesOf('a', [start + 2, start, start + 1])]);
    const times = sender.server.requests.flatMap(({ series }) => series.flatMap(({ samples }) => samples));
    expect(times.map(({ at }) => at)).toEqual([1_000, 1_001, 1_002, 4_000, 4_001, 4_002]);
    expect(sender.server.mostAtATime).toBe(1);
  });

  it('Retries500: a request that got 500 is sent again', async () => {
    let isFirst = true;
    await using sender = await startSender(() => {
      const status = isFirst ? 500 : 204;
      isFirst = false;
      return { status };
    });
    await sender.send(oneSample);
    expect(sender.server.requests).toHaveLength(2);
    expect(sender.server.stored).toHaveLength(1);
  });

  // The original sends one sample for each series. With more samples, their halves are sent to find the refused ones.
  it.each([400, 409, 422])('Retries400: a sample that got %i is not sent again', async (status) => {
    await using sender = await startSender(() => ({ status, text: 'bad request' }));
    expect(await sender.send(oneSample)).toMatchObject({ accepted: 0, refused: 1 });
    expect(sender.server.requests).toHaveLength(1);
    expect(sender.waits).toEqual([]);
  });
});

// The later suite (remotewrite/sender). Its cases for 2.0, native histograms, exemplars and metadata do not apply.
describe('the later cases of prometheus/compliance for 1.0', () => {
  it.each([500, 502, 503, 504])(
    'retry_on_%i: the same bytes are sent again, at growing intervals',
    async (status) => {
      let left = 3;
      await using sender = await startSender(() => ({ status: left-- > 0 ? status : 204 }));
      expect(await sender.send(oneSample)).toMatchObject({ accepted: 1, refused: 0 });
      expect(new Set(sender.server.requests.map(({ body }) => body.toString('hex'))).size).toBe(1);
      expect(sender.waits).toEqual([30, 60, 120]);
    },
  );

  it('may_retry_on_429, retry_after_header_respected: the sender waits as long as it is asked to', async () => {
    let left = 1;
    const busy = { status: 429, headers: { 'retry-after': '5' } };
    await using sender = await startSender(() => (left-- > 0 ? busy : { status: 204 }));
    expect(await sender.send(oneSample)).toMatchObject({ accepted: 1 });
    expect(sender.waits).toEqual([5_000]);
  });

  // Prometheus drops the samples. proxywatch keeps them, because the operator can correct what is wrong.
  it.each([401, 404, 413])(
    'no_retry_on_%i: the request is sent again only after half a minute',
    async (status) => {
      let left = 1;
      await using sender = await startSender(() => ({ status: left-- > 0 ? status : 204 }));
      expect(await sender.send(oneSample)).toMatchObject({ accepted: 1, refused: 0 });
      expect(sender.waits).toEqual([30_000]);
    },
  );

  it.each([200, 204])('handle_%i, ignore_response_body_on_success', async (status) => {
    const text = status === 200 ? 'too old sample' : undefined;
    await using sender = await startSender(() => ({ status, text }));
    expect(await sender.send(oneSample)).toMatchObject({ accepted: 1, refused: 0 });
    expect(sender.server.requests).toHaveLength(1);
  });
});

const namesSent = async (batch: Batch): Promise<string[][]> => {
  await using sender = await startSender();
  await sender.send(batch);
  return sender.server.requests.flatMap(({ series }) =>
    series.map(({ labels }) => labels.map(([name]) => name)),
  );
};
