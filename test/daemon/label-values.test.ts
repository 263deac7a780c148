// Tests that texts of the provider are short enough for the value of a label, wherever they become one.

import { expect, it, test } from 'vitest';
import { labelValue } from '../../src/lib/family.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { RecordingReceiver } from '../remote-write/recording-receiver.ts';
import { Harness } from '../support/harness.ts';

/** VictoriaMetrics drops series with a longer value. */
const MAX_BYTES = 4 * 1024;

test('a text of up to 1,024 characters stays, and a longer one is cut between two characters', () => {
  for (const text of ['', 'fr-1', 'é"\\\n', '余'.repeat(1_024)]) expect(labelValue(text)).toBe(text);
  const cut = ['x', '余', 'x𝕏', '𝕏'].map((part) => labelValue(part.repeat(5_000)));
  for (const value of cut) {
    expect(value).toMatch(/…[\da-f]{16}$/);
    expect(value.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(value)).toBeLessThan(MAX_BYTES);
    expect(labelValue(value)).toBe(value);
  }
});

test('two long texts stay different, so that their series do', () => {
  const long = 'x'.repeat(5_000);
  expect(labelValue(`${long}a`)).not.toBe(labelValue(`${long}b`));
});

const LONG = '余'.repeat(5_000);
const FIELDS = { service: 'service_name', residential_ledger: 'residential_ledger_reason' };

it('a long name and a long word of the provider are cut alike in the metrics and in remote write', async () => {
  await using receiver = await RecordingReceiver.start();
  await using harness = await Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: { users: 2, start: '2026-07-04T00:00:00Z', ledger: { per_service: true } },
    account: { traffic: false, proxy_users: false, services: {}, residential_ledger: {} },
    remoteWrite: [{ name: 'engine', url: receiver.url, start: '2d' }],
  });
  for (const [endpoint, field] of Object.entries(FIELDS))
    harness.simulator.faults.add({ kind: 'set_fields', endpoint, fields: { [field]: LONG } });
  for (let hours = 0; hours < DAY / HOUR; hours += 1) await harness.advance(HOUR);

  const metrics = await harness.metricsText();
  const inMetrics = [...metrics.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value = '']) => [label, value]);
  const sent = receiver.accepted.flatMap(({ series }) => series.flatMap(({ labels }) => labels));
  for (const [labels, names] of [
    [inMetrics, ['service_name', 'reason']],
    [sent, ['reason']],
  ] as const) {
    const long = labels.filter(([, value = '']) => value.startsWith('余余'));
    expect(new Set(long.map(([label]) => label))).toEqual(new Set(names));
    expect(new Set(long.map(([, value]) => value))).toEqual(new Set([labelValue(LONG)]));
  }
});
