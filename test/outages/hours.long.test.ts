// Tests that an hour of each fault of the provider ends without harm: counters, log, alerts, requests and connections.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LogLine } from '../support/recording-log.ts';
import { type Twin, Twins } from '../support/twins.ts';
import { type Hour, liveThrough } from './hour.ts';
import { KEYS_REJECTED, OUTAGES } from './outages.ts';
import { ACCOUNT, AUTHORITY, STEPS_PER_HOUR, WATCHED } from './watched-account.ts';

/** A request that fails is sent three times. Every second answer of 429 costs one more. */
const MOST_REQUESTS_PER_HEALTHY = 4;
/** The connections of one client. */
const CONNECTIONS = 8;
/** The preparation takes some seconds on an idle machine. */
const PREPARATION_LIMIT_MS = 600_000;

const isTrouble = ({ level }: LogLine): boolean => level === 'warn' || level === 'error';
const isAboutAlerts = ({ message }: LogLine): boolean => /^alert (firing|resolved)/.test(message);
const troubleIn = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter((line) => isTrouble(line) && !isAboutAlerts(line));

const alertsIn = (lines: readonly LogLine[]): unknown[] => [
  ...new Set(
    lines.filter(({ message }) => message.startsWith('alert firing')).map(({ fields }) => fields.alert),
  ),
];

const textOf = ({ message, fields: { collector, part, endpoint, message: reason } }: LogLine): string =>
  [message, collector, part, endpoint, reason].filter((text) => text !== undefined).join(' | ');

const firingIn = ({ samples }: Twin): string[] =>
  [...samples.keys()].filter((series) => series.startsWith('proxywatch_alert_firing{')).sort();

describe('an hour of', () => {
  let twins: Twins;
  let healthy: Hour;

  beforeAll(async () => {
    // The jitter of pauses and retries must not decide what a test sees.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    tls.setDefaultCACertificates([AUTHORITY]);
    twins = await Twins.prepare(WATCHED);
    healthy = await liveThrough(twins, {});
  }, PREPARATION_LIMIT_MS);
  afterAll(async () => {
    await twins[Symbol.asyncDispose]();
    vi.restoreAllMocks();
  });

  const expectRecovery = ({ after, requests, connections, twin }: Hour): void => {
    expect(troubleIn(after).map(textOf)).toEqual([]);
    const failing = [...twin.samples].filter(
      ([series, value]) => series.startsWith('proxywatch_collector_success{') && value !== 1,
    );
    expect(failing).toEqual([]);
    expect(firingIn(twin)).toEqual(firingIn(healthy.twin));
    expect(requests).toBeLessThan(MOST_REQUESTS_PER_HEALTHY * healthy.requests);
    expect(connections).toBeLessThanOrEqual(CONNECTIONS);
  };

  it('health is not in the log', () => {
    expect([...healthy.during, ...healthy.after].map(textOf)).toEqual([]);
    expectRecovery(healthy);
  });

  it.each(OUTAGES)('$name', async ({ reason, alerts, most, ...outage }) => {
    const hour = await liveThrough(twins, outage);
    const trouble = troubleIn(hour.during).map(textOf);
    expect(trouble.length).toBeLessThanOrEqual(most);
    expect(trouble.length > 0).toBe(reason !== undefined);
    if (reason) expect(trouble.join('\n')).toMatch(reason);
    // Nothing is said twice. The pauses of 429 take much more than an hour of the monotonic clock, and are exempt.
    if (alerts) expect(trouble).toEqual([...new Set(trouble)]);
    if (alerts) expect(alertsIn(hour.during)).toEqual(alerts);
    expectRecovery(hour);
  });

  it('keys that are revoked, rotated in their file, revoked again and restored', {
    timeout: PREPARATION_LIMIT_MS,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-keys-'));
    const file = join(folder, 'private-key');
    await writeFile(file, 'old-private-key\n');
    let accepted = 'old-private-key';
    const steps: Readonly<Record<number, () => void | Promise<void>>> = {
      0: () => {
        accepted = 'new-private-key';
      },
      3: () => writeFile(file, 'new-private-key\n'),
      6: () => {
        accepted = 'no-private-key';
      },
      9: () => {
        accepted = 'new-private-key';
      },
    };
    const hour = await liveThrough(
      twins,
      {
        react: (answer, _, { headers }) =>
          headers['x-api-private-key'] === accepted ? answer : KEYS_REJECTED(answer),
      },
      { onStep: (_, step) => steps[step]?.(), account: { ...ACCOUNT, private_key_file: file } },
    );
    await rm(folder, { recursive: true });
    const messages = hour.during.filter((line) => !isAboutAlerts(line)).map(({ message }) => message);
    const count = (text: string): number => messages.filter((message) => message.includes(text)).length;
    expect(count('the provider rejects the keys of this account')).toBe(1);
    expect(count('the provider accepts the keys of this account')).toBe(1);
    expect(hour.during.filter(isTrouble).length).toBeLessThan(STEPS_PER_HOUR);
    expect(alertsIn(hour.during)).toEqual(['ProviderKeysRejected']);
    expectRecovery(hour);
  });
});
