// Tests the text of a probe on request: units, and that a value that is unknown has no sample.

import { expect, test } from 'vitest';
import { type ProbeMeasurement, probeText } from '../../src/metrics/probe-text.ts';

const SUCCESS: ProbeMeasurement = {
  isSuccessful: true,
  durationMs: 250,
  phases: { connect: 20, tunnel: 130 },
  bytes: { sent: 300, received: 4_096 },
  status: 204,
  certificateNotAfter: Date.parse('2026-06-01T00:00:00Z'),
  failure: null,
  ageMs: 0,
};

const samplesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line && !line.startsWith('#'));

test('a successful probe has every value in base units', () => {
  expect(samplesOf(probeText(SUCCESS))).toEqual([
    'probe_success 1',
    'probe_duration_seconds 0.25',
    'probe_phase_duration_seconds{phase="connect"} 0.02',
    'probe_phase_duration_seconds{phase="tunnel"} 0.13',
    'probe_bytes{direction="sent"} 300',
    'probe_bytes{direction="received"} 4096',
    'probe_http_status_code 204',
    'probe_ssl_earliest_cert_expiry 1780272000',
    'probe_result_age_seconds 0',
  ]);
});

test('a failed probe names its phase and cause, and shows nothing that is unknown', () => {
  const failure = { phase: 'tunnel', cause: 'credentials', code: '2011' };
  const failed = { ...SUCCESS, isSuccessful: false, status: null, certificateNotAfter: null, failure };
  const text = probeText(failed);
  expect(samplesOf(text)).toContain('probe_failure_info{phase="tunnel",cause="credentials",code="2011"} 1');
  expect(text).toContain('probe_success 0\n');
  expect(text).not.toMatch(/probe_http_status_code|probe_ssl_earliest_cert_expiry/);
});

test('every family has its help and type before its samples', () => {
  const names = probeText(SUCCESS)
    .match(/^# TYPE \S+ gauge$/gm)
    ?.map((line) => line.split(' ')[2]);
  const sampled = new Set(samplesOf(probeText(SUCCESS)).map((line) => /^\w+/.exec(line)?.[0]));
  expect(names).toEqual([...sampled]);
});
