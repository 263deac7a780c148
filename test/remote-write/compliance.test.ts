// Tests the cases of github.com/prometheus/compliance for senders of remote write 1.0 (remote_write_sender/cases).
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
  it('Retries400: a sample that got 400 is not sent again', async () => {
    await using sender = await startSender(() => ({ status: 400, text: 'bad request' }));
    expect(await sender.send(oneSample)).toMatchObject({ accepted: 0, refused: 1 });
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
