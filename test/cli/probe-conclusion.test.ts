// Tests the sentence that says why a proxy fails, with and without a comparison.

import { describe, expect, it } from 'vitest';
import { adviceOn } from '../../src/cli/probe/advice.ts';
import { conclusionOf } from '../../src/cli/probe/conclusion.ts';
import { CAUSES, PHASES, type ProbeFailure, type ProbeResult } from '../../src/prober/probe.ts';

const resultOf = (failure: ProbeFailure | null): ProbeResult => ({
  ...{ failure, phases: {}, durationMs: 0, bytes: { sent: 0, received: 0 } },
  ...{ proxyAnswer: null, status: null, certificate: null, isResumed: false, body: null },
});

const failed = (phase: ProbeFailure['phase'], cause: ProbeFailure['cause'], message = 'X'): ProbeResult =>
  resultOf({ phase, cause, message });

const OK = resultOf(null);
const REFUSED = failed('connect', 'refused', 'the connection was refused');

describe('without a comparison', () => {
  it.each([
    [failed('tunnel', 'quota'), /^The proxy fails \(tunnel_quota\): X; check the limits/],
    [
      failed('connect', 'refused'),
      /^The proxy fails \(connect_refused\): X; check the proxy's host and port/,
    ],
    [
      failed('response', 'status'),
      /^The proxy works, but the target does not answer as expected \(response_status\)/,
    ],
    [failed('tls', 'certificate'), /^The certificate of the target is wrong, or the proxy intercepts TLS/],
    [failed('connect', 'certificate'), /^The proxy fails \(connect_certificate\): X; .*--ca-file/],
  ])('%#', (result, sentence) => {
    expect(conclusionOf({ result, control: undefined })).toMatch(sentence);
  });
});

describe('if the target answers without the proxy', () => {
  it.each([
    [failed('tunnel', 'timeout'), /^The proxy fails, and the target answers without it \(tunnel_timeout\)/],
    [
      failed('tls', 'reset'),
      /^The proxy fails, and .*; the target answers without the proxy, so ask its operator/,
    ],
    [failed('response', 'body'), /^The proxy works, but .*; the target answers without the proxy, so ask/],
    [
      failed('tls', 'certificate'),
      /^The target has a trusted certificate without the proxy, but not through it/,
    ],
  ])('%#', (result, sentence) => {
    expect(conclusionOf({ result, control: OK })).toMatch(sentence);
  });
});

describe('if the target fails without the proxy too', () => {
  it.each([
    [
      failed('connect', 'refused'),
      /^This machine reaches neither the proxy nor the target .*check the network/,
    ],
    [failed('tunnel', 'target_unreachable'), /^The proxy is probably not at fault/],
    [failed('tunnel', 'timeout'), /^The proxy is probably not at fault/],
    [failed('tunnel', 'credentials'), /^The proxy fails \(tunnel_credentials\): X; check the username/],
    [
      OK,
      /^The proxy works, but without it the target cannot be reached from this machine: the connection was refused\.$/,
    ],
  ])('%#', (result, sentence) => {
    expect(conclusionOf({ result, control: REFUSED })).toMatch(sentence);
  });
});

it('is one sentence that ends with a next step, whatever fails', () => {
  for (const phase of PHASES)
    for (const cause of CAUSES)
      for (const control of [undefined, OK, REFUSED]) {
        const sentence = conclusionOf({ result: failed(phase, cause), control });
        expect([phase, cause, sentence.match(/^[A-Z][^.]*\.$/)?.length]).toEqual([phase, cause, 1]);
        expect(adviceOn(phase, cause)).toMatch(/^[a-z].{20,}$/);
      }
});
