// Tests how doctor judges the zone of labels, the free space on disks, and the folder for backups.

import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../src/cli/doctor/check-result.ts';
import { backupSpaceFinding, checkStore, spaceFinding } from '../../src/cli/doctor/store.ts';
import { zoneFinding } from '../../src/cli/doctor/times.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { HOUR, MINUTE, zoneOffset } from '../../src/lib/time.ts';
import { makeFolder, openStore } from '../store/support.ts';

const NOW = Date.parse('2026-07-10T12:34:56Z');
const SUBJECT = 'main: time zone';

/** Returns labels of a provider in the zone, with traffic every `stepMs` until `ageMs` ago. */
const minutesOf = (zone: string, now: number, ageMs: number, stepMs: number = MINUTE): number[] => {
  const newest = Math.floor((now - ageMs) / MINUTE) * MINUTE + zoneOffset(zone, now);
  return Array.from({ length: 120 }, (_, index) => newest - (119 - index) * stepMs);
};

const findingFor = (provider: string, zone: string, { now = NOW, ageMs = MINUTE, stepMs = MINUTE } = {}) =>
  zoneFinding(SUBJECT, { minutes: minutesOf(provider, now, ageMs, stepMs), now, zone });

const WINTER = Date.parse('2026-01-10T12:34:56Z');
const ZONES = [
  'UTC',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Adelaide',
  'Pacific/Auckland',
  'Etc/GMT+12',
  'Etc/GMT-14',
];
const PAIRS = ZONES.flatMap((provider) => ZONES.map((zone) => [provider, zone] as const));

describe.each([
  ['summer', NOW],
  ['winter', WINTER],
])('%s', (_, now) => {
  test.each(PAIRS)('a provider in %s, set to %s', (provider, zone) => {
    for (const ageMs of [0, 3 * MINUTE]) {
      const { status, advice } = findingFor(provider, zone, { now, ageMs });
      const late = zoneOffset(zone, now) - zoneOffset(provider, now);
      // Minutes that are late by less than an hour may come from a provider that publishes late.
      if (late > 0 && late < HOUR) continue;
      const isRight = late === 0;
      expect(status).toBe(isRight ? 'ok' : 'failed');
      const [, first = zone] = /time_zone: (\S+?)(?:,| or|\.$)/.exec(advice ?? '') ?? [];
      expect(zoneOffset(first, now)).toBe(zoneOffset(provider, now));
    }
  });
});

test.each([
  ['half an hour late', 30 * MINUTE, MINUTE, 'ok', undefined],
  ['stopped hours ago, which may be chance', 5 * HOUR + 3 * MINUTE, 40 * MINUTE, 'warning', /^If there was/],
  ['stopped at a time that no zone explains', 5 * HOUR + 35 * MINUTE, MINUTE, 'unknown', /^Run doctor again/],
])('traffic in UTC, %s', (_, ageMs, stepMs, status, advice) => {
  const finding = findingFor('UTC', 'UTC', { ageMs, stepMs });
  expect(finding.status).toBe(status);
  if (advice) expect(finding.advice).toMatch(advice);
});

test.each([
  [10e6, 'failed'],
  [250e6, 'warning'],
  [350e6, 'ok'],
])('%i bytes free beside a store of 100 MB', (freeBytes, status) => {
  expect(spaceFinding({ usedBytes: 100e6, freeBytes }).status).toBe(status);
});

test.each([
  [90e6, 'warning'],
  [110e6, 'ok'],
])('a disk for backups with %d bytes free gets %s', (freeBytes, status) => {
  expect(backupSpaceFinding('/mnt/backup', { usedBytes: 100e6, freeBytes })).toMatchObject({ status });
});

test('a folder for backups may be missing, but its parent may not', () => {
  const folder = makeFolder();
  const findingOf = (path: string): CheckResult | undefined => {
    const store = settingsSchema.shape.store.parse({ path: join(folder, 'store.db'), backup: { path } });
    return [...checkStore({ settings: { store } })].at(-1);
  };
  expect(findingOf(join(folder, 'backups'))).toMatchObject({ status: 'ok' });
  expect(findingOf(join(folder, 'disk', 'backups'))).toEqual({
    ...{ status: 'failed', subject: 'store', advice: 'Create this folder, or mount its disk.' },
    found: expect.stringContaining(`${join(folder, 'disk')}: there is no such folder`),
  });
  writeFileSync(join(folder, 'file'), '');
  expect(findingOf(join(folder, 'file'))).toMatchObject({ status: 'failed' });
});

test('a store with several hard links gets a warning', () => {
  const path = join(makeFolder(), 'store.db');
  openStore(path)[Symbol.dispose]();
  linkSync(path, `${path}.link`);
  const store = settingsSchema.shape.store.parse({ path });
  const findings = [...checkStore({ settings: { store } })];
  expect(findings.filter(({ status }) => status === 'warning')).toMatchObject([
    { found: `${path} has 2 names (hard links)`, advice: expect.stringContaining('Remove all but one') },
  ]);
});
