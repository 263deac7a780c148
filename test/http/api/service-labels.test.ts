// Tests the API about services by label: which services are counted where, and that the parts add up to the whole.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupServices } from '../../../src/http/api/service-labels.ts';
import type { LabelParts } from '../../../src/lib/label-parts.ts';
import { DAY } from '../../../src/lib/time.ts';
import type { ServiceObservation, StoredService } from '../../../src/store/service-store.ts';
import { NO_SERVICE } from '../lists/random-app.ts';
import { ApiHarness } from './api-harness.ts';

const SERVICES_ONLY = {
  ...{ traffic: false, residential_ledger: false, proxy_users: false, inventory: false, proxy_tests: false },
  ...{ catalog: false, quotes: false, geography: false, reconciliation: false },
  services: { labels_from_metadata: ['project'] },
};
const NONE = { services: 0, bought_proxies: 0, proxies_in_use: 0, uncounted_services: 0 };
const ISP = { ...NO_SERVICE, productType: 'isp', status: 'active', quantity: 10, proxies: { in_use: 8 } };

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const word = fc.constantFrom(null, '', 'a', 'b', 'not set', 'unknown', '__proto__');
const service: fc.Arbitrary<StoredService> = fc
  .record({
    productType: fc.constantFrom('isp', 'datacenter', 'residential', 'off_catalog', null),
    status: fc.constantFrom('active', 'complete', 'canceled', 'overdue', null),
    quantity: orNull(fc.nat(99)),
    proxies: orNull(fc.dictionary(fc.constantFrom('in_use', 'available', 'new'), fc.nat(9))),
    metadata: orNull(fc.record({ project: word, team: fc.string() }, { requiredKeys: [] })),
  })
  .map((values) => ({ ...NO_SERVICE, ...values, id: 's', answeredAt: 0 }));

type Amounts = typeof NONE;
const AMOUNTS = Object.keys(NONE) as (keyof Amounts)[];
const partsOf = ({ values, others, notSet, unknown }: LabelParts<Amounts>): Amounts[] => [
  ...values,
  ...[others, notSet, unknown],
];

it('adds up to all services in every label', () => {
  fc.assert(
    fc.property(fc.array(service, { maxLength: 60 }), (services) => {
      const { all, labels } = groupServices(services, ['project', 'team', 'constructor']);
      for (const label of labels) {
        expect(label.values.length).toBeLessThanOrEqual(20);
        for (const name of AMOUNTS)
          expect(partsOf(label).reduce((sum, part) => sum + part[name], 0)).toBe(all[name]);
      }
      expect(all.services).toBeLessThanOrEqual(services.length);
      expect(all.uncounted_services).toBeLessThanOrEqual(all.services);
    }),
  );
});

it('names the 20 values with the most services, and joins the others', () => {
  const services = Array.from({ length: 26 }, (_, index) => ({
    ...{ ...ISP, id: `s${index}`, answeredAt: 0 },
    metadata: { project: `p${Math.min(index, 24)}` },
  }));
  const [project] = groupServices(services, ['project']).labels;
  expect(project?.values[0]).toEqual({
    ...{ value: 'p24', services: 2, bought_proxies: 20, proxies_in_use: 16, uncounted_services: 0 },
  });
  expect(project?.values).toHaveLength(20);
  expect(project?.others).toEqual({
    ...{ values: 5, services: 5, bought_proxies: 50, proxies_in_use: 40, uncounted_services: 0 },
  });
});

it('separates services without a value from those whose value was not read, and has nothing of other keys', async () => {
  await using api = await ApiHarness.build({}, SERVICES_ONLY);
  const { store } = api.harness.app;
  const now = api.harness.clock.now();
  const save = (id: string, values: Partial<ServiceObservation>) =>
    store.services.save('main', { ...ISP, ...values, id }, now);
  await save('shop-1', { metadata: { project: 'shop', canary: 'canary' } });
  await save('shop-2', { metadata: { project: 'shop' }, proxies: { in_use: 1, available: 9 } });
  await save('shop-3', { metadata: { project: 'shop' }, proxies: null });
  await save('by the byte', { metadata: { project: 'shop' }, productType: 'residential', quantity: 500 });
  await save('empty', { metadata: { project: '' } });
  await save('without', { metadata: { project: null } });
  await save('before', { metadata: { canary: 'canary' } });
  await save('never', { metadata: null });
  await save('over', { metadata: { project: 'over' }, status: 'complete' });
  await save('removed', { metadata: { project: 'removed' }, expiresAt: now + DAY });
  for (const _ of [1, 2]) await store.services.saveNotFound('main', 'removed', now);
  const answer = await api.answer('services/summary');
  const whole = { services: 8, bought_proxies: 60, proxies_in_use: 41, uncounted_services: 1 };
  expect(answer.data).toEqual([{ account: 'main', ...whole }]);
  expect(answer.labels).toEqual([
    {
      ...{ account: 'main', label: 'project' },
      values: [{ value: 'shop', services: 4, bought_proxies: 20, proxies_in_use: 9, uncounted_services: 1 }],
      others: { values: 0, ...NONE },
      not_set: { services: 2, bought_proxies: 20, proxies_in_use: 16, uncounted_services: 0 },
      unknown: { services: 2, bought_proxies: 20, proxies_in_use: 16, uncounted_services: 0 },
    },
  ]);
  expect(JSON.stringify(answer)).not.toContain('canary');
});

it('counts at most the bought proxies of each service as in use', () => {
  const withProxies = (in_use: number) => ({ ...ISP, id: 's', answeredAt: 0, proxies: { in_use, new: 2 } });
  const { all } = groupServices([withProxies(10), withProxies(6)], []);
  expect(all).toMatchObject({ bought_proxies: 20, proxies_in_use: 18 });
});

it('has only the services that the configuration names, without discovery', async () => {
  const services = { ...SERVICES_ONLY.services, discover: false, ids: ['a'] };
  await using api = await ApiHarness.build({}, { ...SERVICES_ONLY, services });
  const [{ store }, now] = [api.harness.app, api.harness.clock.now()];
  for (const id of ['a', 'b'])
    await store.services.save('main', { ...ISP, id, proxies: { in_use: 8, new: 4 } }, now);
  expect(await api.items('services/summary')).toMatchObject([{ services: 1, bought_proxies: 10 }]);
  expect(await api.items('services')).toMatchObject([{ service_id: 'a', proxies_in_use: 12 }]);
  expect((await api.request('accounts/main/services/a')).status).toBe(200);
  expect((await api.request('accounts/main/services/b')).status).toBe(404);
});

it('has no labels without the setting, and no account whose collector is off', async () => {
  const answerWith = async (services: unknown) => {
    await using api = await ApiHarness.build({}, { ...SERVICES_ONLY, services });
    return await api.answer('services/summary');
  };
  const data = [{ account: 'main', ...NONE }];
  expect(await answerWith({ discover: false })).toMatchObject({ data, labels: [] });
  expect(await answerWith(false)).toMatchObject({ data: [], labels: [] });
});
