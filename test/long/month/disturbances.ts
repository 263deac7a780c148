// Defines what goes wrong in the month: each disturbance begins at random and returns how it ends.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { faultSchema } from '../../../src/simulator/faults/faults.ts';
import { proxyAddress } from '../../../src/simulator/identities.ts';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import type { FakeReceiver } from '../../support/fake-receiver.ts';
import { PROXIES, TESTERS, USERS } from './account.ts';
import type { Surroundings } from './configuration.ts';

export interface World {
  readonly simulator: Simulator;
  readonly receiver: FakeReceiver;
  readonly surroundings: Surroundings;
}

/** Draws random numbers from 0 to below 1. */
export type Random = () => number;

/** Begins a disturbance. Returns what ends it. */
export type Disturbance = (world: World, random: Random) => () => void;

const ENDPOINTS = [
  ...['', 'search', 'analytics', 'residential_ledger', 'proxy_user', 'proxy/search', 'proxy_test_run'],
  ...['service', 'checkout', 'city', 'asn', 'continent'],
];
const WORDS = { proxy_status: 'melted', service_status: 'odd', residential_ledger_reason: 'gift' };

const ANSWER_FAULTS: readonly z.input<typeof faultSchema>[] = [
  ...[500, 502, 503, 403, 404, 422].map((status) => ({ kind: 'status' as const, status })),
  ...(['header', 'message', 'nothing'] as const).map((tell) => ({ kind: 'rate_limit' as const, tell })),
  { kind: 'malformed_json' },
  { kind: 'cut_off' },
  { kind: 'html' },
  { kind: 'html', status: 502 },
  { kind: 'slow', delay_ms: 5, count: 20 },
  { kind: 'null_fields', fields: ['proxy_user_id', 'residential_ledger_bytes', 'proxy_id', 'bytes'] },
  { kind: 'missing_fields', fields: ['proxy_user_residential_bytes_used', 'service_status', 'intervals'] },
  { kind: 'set_fields', fields: { total_count: -1 } },
  { kind: 'set_fields', fields: { customer_id: 13 } },
  { kind: 'set_fields', fields: { ...WORDS, residential_ledger_reason: 'usage' } },
  { kind: 'extra_fields', fields: { unknown: { a: [1] } } },
  { kind: 'truncated_buckets', keep: 20 },
  { kind: 'absent_buckets', every: 7 },
  { kind: 'duplicate_buckets', every: 5 },
  { kind: 'shifted_pages' },
];

const answersAreWrong: Disturbance = ({ simulator: { faults } }, random) => {
  const endpoint = pick(ENDPOINTS, random);
  const fault = faults.add({ ...pick(ANSWER_FAULTS, random), endpoint, probability: 0.2 + 0.8 * random() });
  return () => faults.remove(fault);
};

const testsFail: Disturbance = ({ simulator: { outages } }, random) => {
  const subjects = [
    { kind: 'proxy', subject: proxyAddress(Math.floor(random() * PROXIES)).host },
    { kind: 'tester', subject: pick(TESTERS, random) },
    { kind: 'target', subject: pick(['www.example', 'shop.example', '*'], random) },
  ] as const;
  const outage = outages.add({
    ...pick(subjects, random),
    error_code: pick([null, 'odd', 'timeout'], random),
  });
  return () => outages.remove(outage);
};

const accountChanges: Disturbance = ({ simulator: { changes } }, random) => {
  const subject = Math.floor(random() * 4);
  const expired = { service_status: 'overdue', service_expiry_datetime: '2026-03-01 00:00:00' };
  const change = changes.add(
    pick(
      [
        { kind: 'proxy', subject: Math.floor(random() * PROXIES), absent: true },
        { kind: 'proxy', subject: Math.floor(random() * PROXIES), set: { city_id: 201 } },
        { kind: 'user', subject: 1 + Math.floor(random() * (USERS - 1)), absent: true },
        {
          kind: 'user',
          subject: 1 + Math.floor(random() * (USERS - 1)),
          set: { proxy_user_is_deleted: true },
        },
        { kind: 'service', subject, set: expired },
        { kind: 'service', subject, set: { service_subscription_is_paused: true } },
        { kind: 'service', subject, absent: true },
        { kind: 'product', subject: 'isp_gb', set: { product_stock: 0 } },
      ],
      random,
    ),
  );
  return () => changes.remove(change);
};

const receiversFail: Disturbance = ({ receiver }, random) => {
  receiver.status = pick([500, 0, 429, 404], random);
  return () => {
    receiver.status = 200;
  };
};

/** The provider takes the new keys before the files have them, so that requests get 401 meanwhile. */
const keysAreRotated: Disturbance = ({ simulator, surroundings: { folder } }, random) => {
  simulator.publicKey = `public-${random()}`;
  simulator.privateKey = `private-${random()}`;
  return () => writeKeys(folder, simulator);
};

export const writeKeys = (folder: string, { publicKey, privateKey }: Simulator): void => {
  writeFileSync(join(folder, 'public-key'), publicKey);
  writeFileSync(join(folder, 'private-key'), privateKey);
};

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;

/** Wrong answers are the most common disturbance. */
export const DISTURBANCES: readonly Disturbance[] = [
  ...[answersAreWrong, answersAreWrong, answersAreWrong, answersAreWrong],
  ...[testsFail, testsFail, accountChanges, accountChanges, receiversFail, keysAreRotated],
];
