// Tests that a receiver that failed before a restart fails right after it too, for as long as it has accepted nothing.

import { expect, it } from 'vitest';
import { ActiveAlerts } from '../../src/alerts/active.ts';
import { knownWaitingSince } from '../../src/daemon/alerting-state.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';

const FIRED = Date.parse('2026-07-06T12:00:00Z');
const THRESHOLD = (15 * MINUTE) / SECOND;
const NAME = 'NotificationsFailing';

const stored = (part: Partial<StoredAlert> = {}): StoredAlert => ({
  ...{ account: '', alert: NAME, labels: { receiver: 'hook' }, severity: 'warning', value: 900, step: 0 },
  ...{ since: FIRED, firingSince: FIRED, absentSince: null, skippedMs: 0, endedAt: null },
  ...part,
});

const sinceOf = (
  alerts: readonly StoredAlert[],
  part: object = {},
  threshold: number | undefined = THRESHOLD,
) =>
  knownWaitingSince(
    new ActiveAlerts(alerts),
    { alert: NAME, threshold },
    { name: 'hook', isProven: false, waitingSince: undefined, ...part },
  );

it.each([
  ['before the first attempt, the alert knows since when', [stored()], {}, FIRED - 15 * MINUTE],
  [
    'after a failed attempt, the alert knows more',
    [stored()],
    { waitingSince: FIRED + 1 },
    FIRED - 15 * MINUTE,
  ],
  ['the queue in the store may know still more', [stored()], { waitingSince: 1 }, 1],
  ['a receiver that has accepted something works', [stored()], { isProven: true }, undefined],
  ['without an alert, nothing is known', [], {}, undefined],
  ['a pending alert says nothing', [stored({ firingSince: null })], {}, undefined],
  ['the alert is about another receiver', [stored({ labels: { receiver: 'mail' } })], {}, undefined],
  ['the alert is about another thing', [stored({ alert: 'RemoteWriteFailing' })], {}, undefined],
] as const)('%s', (_, alerts, part, expected) => {
  expect(sinceOf(alerts, part)).toBe(expected);
});
