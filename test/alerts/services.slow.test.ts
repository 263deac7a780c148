// Tests when the alerts about services have findings, and that the status page claims the same without alerts. One service is
// changed; the others are healthy.

import { describe, expect, it } from 'vitest';
import { readServices, serviceJson } from '../../src/http/api/services.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { verdicts } from '../../src/page/views/signs.ts';
import { services } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { Harness } from '../support/harness.ts';
import { alertsFound, findingValues } from './findings.ts';

const START = '2026-07-06T12:01:30Z';
const POLL = 30 * MINUTE;
const HEALTHY = {
  service_is_automatic_collection: true,
  service_expiry_datetime: '2026-08-01 00:00:00',
} as const;
const SCENARIO: ScenarioInput = { proxies: 20, services: 3 };
const [DATACENTER = '', ISP = '', RESIDENTIAL = ''] = services(parseScenario(SCENARIO)).map(({ id }) => id);
const NAMES = [
  'ServiceExpiringSoon',
  'ServicePaused',
  'ServicePendingCancellation',
  'ServiceNotActive',
  'ServiceProxiesMissing',
];

const build = (): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: {
      ...SCENARIO,
      changes: [0, 1, 2].map((subject) => ({ kind: 'service', subject, set: HEALTHY })),
    },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      services: { discover: false, ids: [DATACENTER, ISP, RESIDENTIAL] },
    },
  });

/** Changes these fields of the second service in all further answers. */
const set = async (harness: Harness, fields: Record<string, unknown>): Promise<void> => {
  const isp = { kind: 'service', subject: 1, set: { ...HEALTHY, ...fields } };
  harness.simulator.changes.replace([
    ...harness.simulator.changes.list.filter(({ subject }) => subject !== 1),
    isp,
  ]);
  await harness.advance(POLL);
};

/** Returns the alerts that the status page claims from what the API says about the services. */
const claimed = async ({ app: { store, accounts } }: Harness): Promise<string[]> => {
  const [account] = accounts;
  if (!account) throw new Error('no account');
  const data = (await readServices({ store, settings: account.context })).map((each) =>
    serviceJson('main', each),
  );
  return verdicts({ account: 'main', services: { data, next_cursor: null } }).map(({ alert }) => alert);
};

describe('a service', () => {
  it.each([
    ['that is healthy', {}, []],
    ['that expires in a month', { service_is_automatic_collection: false }, []],
    ['that expires within a week and renews itself', { service_expiry_datetime: '2026-07-10 00:00:00' }, []],
    [
      'that expires within a week and does not renew itself',
      { service_expiry_datetime: '2026-07-10 00:00:00', service_is_automatic_collection: false },
      ['ServiceExpiringSoon'],
    ],
    [
      'that expires within a week with an open invoice',
      { service_expiry_datetime: '2026-07-10 00:00:00', open_invoice_id: 'in_1' },
      ['ServiceExpiringSoon'],
    ],
    [
      'that expired long ago but is active',
      { service_expiry_datetime: '2026-06-10 00:00:00', service_is_automatic_collection: false },
      [],
    ],
    ['without an expiry', { service_expiry_datetime: null, open_invoice_id: 'in_1' }, []],
    ['that is paused by its flag', { service_subscription_is_paused: true }, ['ServicePaused']],
    ['that is paused by its status', { service_status: 'paused' }, ['ServicePaused']],
    [
      'with a pending cancellation',
      { service_is_pending_cancellation: true },
      ['ServicePendingCancellation'],
    ],
    ['that is overdue', { service_status: 'overdue', open_invoice_id: 'in_1' }, ['ServiceNotActive']],
    [
      'overdue for half a year',
      { service_status: 'overdue', service_expiry_datetime: '2026-01-01 00:00:00' },
      [],
    ],
    [
      'that was just canceled',
      { service_status: 'canceled', service_is_pending_cancellation: true, service_quantity: 99 },
      ['ServiceNotActive'],
    ],
    ['canceled long ago', { service_status: 'canceled', service_expiry_datetime: '2026-06-20 00:00:00' }, []],
    ['canceled at an unknown time', { service_status: 'canceled', service_expiry_datetime: null }, []],
    ['with an unknown status', { service_status: 'suspended' }, ['ServiceNotActive']],
    ['that is complete', { service_status: 'complete', service_quantity: 99 }, []],
    ['that lacks proxies', { service_quantity: 99 }, ['ServiceProxiesMissing']],
    [
      'that awaits its proxies',
      { service_status: 'awaiting_additional_fulfillment', service_quantity: 99 },
      [],
    ],
    [
      'paused and without its proxies',
      { service_subscription_is_paused: true, service_quantity: 99 },
      ['ServicePaused'],
    ],
  ])('%s', async (_, fields, alerts) => {
    await using harness = await build();
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    await set(harness, fields);
    expect(await alertsFound(harness, NAMES)).toEqual(alerts);
    expect(await claimed(harness)).toEqual(alerts);
    for (const name of alerts) expect(Object.keys(await findingValues(harness, name))).toEqual([ISP]);
    // Neither a restart nor months without an answer change anything.
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    await harness.restart();
    await harness.advance(200 * DAY);
    expect(await alertsFound(harness, NAMES)).toEqual(alerts);
    expect(await claimed(harness)).toEqual(alerts);
    harness.simulator.faults.clear();
    await harness.restart({ services: false });
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });

  it('lacks as many proxies as are not in use, and lacks none if it is sold by the byte', async () => {
    await using harness = await build();
    const proxies = harness.simulator.truth.proxies();
    const inUse = proxies.filter((proxy) => proxy.service_id === ISP && proxy.proxy_status === 'in_use');
    const lost = inUse.map((proxy) => proxies.indexOf(proxy)).slice(0, 2);
    const [waiting = 0, absent = 0] = lost;
    harness.simulator.changes.add({ kind: 'proxy', subject: waiting, set: { proxy_status: 'waiting' } });
    harness.simulator.changes.add({ kind: 'proxy', subject: absent, absent: true });
    harness.simulator.changes.add({ kind: 'service', subject: 2, set: { service_quantity: 500 } });
    await harness.advance(POLL);
    expect(await findingValues(harness, 'ServiceProxiesMissing')).toEqual({ [ISP]: 2 });
    expect(await claimed(harness)).toEqual(['ServiceProxiesMissing']);
    const samples = await harness.samples();
    expect(samples.by('service_id', 'proxywatch_service_proxies_missing')).toEqual({
      [DATACENTER]: 0,
      [ISP]: 2,
    });
  });

  it('is judged by the configured thresholds', async () => {
    await using harness = await build();
    await set(harness, {
      ...{ service_expiry_datetime: '2026-07-10 00:00:00', service_is_automatic_collection: false },
      service_quantity: 99,
    });
    expect(await claimed(harness)).toEqual(['ServiceExpiringSoon', 'ServiceProxiesMissing']);
    await harness.restart({
      alerts: { ServiceExpiringSoon: { threshold: '1h' }, ServiceProxiesMissing: { threshold: 99 } },
    });
    expect(await claimed(harness)).toEqual([]);
  });

  it('that is configured but missing counts as not active after two polls', async () => {
    await using harness = await build();
    const absent = { kind: 'service', subject: 1, absent: true } as const;
    harness.simulator.changes.add(absent);
    await harness.advance(POLL);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    await harness.advance(POLL);
    expect(await findingValues(harness, 'ServiceNotActive')).toEqual({ [ISP]: 1 });
    const statusSamples = (await harness.samples()).all('proxywatch_service_standing', { service_id: ISP });
    expect(statusSamples.map(({ labels }) => labels.standing)).toEqual(['gone']);
    harness.simulator.changes.replace(harness.simulator.changes.list.filter(({ absent }) => !absent));
    await harness.advance(POLL);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });
});
