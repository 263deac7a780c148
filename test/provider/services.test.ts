// Tests readService with sample answers and the simulated provider, with and without line items and proxies.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { SERVICE_TYPE_WORDS } from '../../src/provider/documented-answers/words.ts';
import { readService, type ServiceAnswer } from '../../src/provider/resources/services.ts';
import { services } from '../../src/simulator/identities.ts';
import { parseScenario } from '../../src/simulator/simulator.ts';
import { connect, type Reply, startFakeProvider } from '../support/fake-provider.ts';
import { openAccount, type SimulatedAccount } from '../support/simulated-account.ts';
import { isSubset, sampleVariants } from './sample-variants.ts';

const SERVICE = {
  service_id: 'API-1234',
  service_name: 'Shop',
  service_type: 'isp',
  service_protocol: 'ipv4',
  service_status: 'active',
  service_quantity: 10,
  service_total: 2_500.5,
  service_cycle: '1:month',
  service_creation_datetime: '2026-01-01 10:00:00',
  service_earliest_cancellation_datetime: null,
  service_expiry_datetime: '2026-04-01 00:00:00',
  service_is_automatic_collection: true,
  service_is_pending_cancellation: false,
  service_subscription_is_paused: false,
  service_last_update_datetime: '2026-02-01 10:00:00',
  service_is_reconfigurable: true,
  service_subscription_id: 'sub-1',
  open_invoice_id: 'in_1',
  payment_method_id: 'pm_1',
  country_id: 'fr',
  service_line_items: [{ country_id: 'fr', quantity: 10 }],
  service_metadata: { any: 'thing' },
};

const read = async (reply: Reply, withProxies: boolean) => {
  await using provider = await startFakeProvider(() => reply);
  await using client = connect(provider);
  const answer = await readService(client, 'API-1234', { withProxies, timeZone: 'UTC' });
  return { ...answer, request: provider.requests[0] };
};

describe('readService', () => {
  it('returns the documented type of a service that was sold outside of the catalog', async () => {
    const { service } = await read({ body: { data: { ...SERVICE, service_type: 'off_catalog' } } }, false);
    expect(service).toMatchObject({ type: 'off_catalog' });
    expect(SERVICE_TYPE_WORDS.has('off_catalog')).toBe(true);
  });

  it('returns the service with the code’s own field names', async () => {
    const { service, proxies, request } = await read({ body: { data: SERVICE } }, false);
    expect(request).toMatchObject({ path: '/1.0/public/user/service/retrieve/API-1234', query: {} });
    expect(proxies).toEqual([]);
    expect(service).toEqual({
      id: 'API-1234',
      name: 'Shop',
      type: 'isp',
      protocol: 'ipv4',
      status: 'active',
      countryId: 'fr',
      cycle: '1:month',
      quantity: 10,
      price: 2_500.5,
      isPaused: false,
      isPendingCancellation: false,
      isAutomaticCollection: true,
      hasOpenInvoice: true,
      hasPaymentMethod: true,
      createdAt: Date.parse('2026-01-01T10:00:00Z'),
      expiresAt: Date.parse('2026-04-01T00:00:00Z'),
      earliestCancellationAt: null,
      updatedAt: Date.parse('2026-02-01T10:00:00Z'),
      dispatchedAt: null,
      isReconfigurable: true,
      promotionalCode: null,
      subscriptionId: 'sub-1',
      subscriptionScheduleId: null,
    });
  });

  it('finds the proxies under any field name', async () => {
    const some_name = [{ proxy_id: 'p1' }, { proxy_id: 'p2', proxy_http_port: 'eighty' }, { proxy_id: 3 }];
    const { proxies, skipped, request } = await read({ body: { data: { ...SERVICE, some_name } } }, true);
    expect(request?.query).toEqual({ proxies: 'True' });
    expect(proxies.map(({ id, httpPort }) => [id, httpPort])).toEqual([
      ['p1', null],
      ['p2', null],
    ]);
    expect(skipped).toBe(2);
  });

  it('accepts a service with only an id', async () => {
    const { service } = await read({ body: { data: { service_id: 'API-1234' } } }, true);
    expect(service).toMatchObject({ status: null, quantity: null, isPaused: null, hasOpenInvoice: false });
  });

  it('reports an unknown service', async () => {
    await expect(read({ status: 404, body: { message: 'No such service.' } }, false)).rejects.toMatchObject({
      kind: 'not_found',
      message: 'service/retrieve: answered 404: No such service.',
    });
  });

  it('keeps the other values of a service with invalid values', async () => {
    const whole = await read({ body: { data: SERVICE } }, false);
    const invalid = {
      service_status: 1,
      service_name: [],
      service_total: 'ten',
      service_expiry_datetime: 7,
      open_invoice_id: 12,
    };
    const { service } = await read({ body: { data: { ...SERVICE, ...invalid } } }, false);
    const nothing = { status: null, name: null, price: null, expiresAt: null };
    expect(service).toEqual({ ...whole.service, ...nothing, hasOpenInvoice: true });
  });

  it('rejects an answer about another service', async () => {
    const request = read({ body: { data: { ...SERVICE, service_id: 'API-9999' } } }, false);
    await expect(request).rejects.toMatchObject({ kind: 'bad_response', endpoint: 'service/retrieve' });
  });

  it.each<[string, object, boolean, number]>([
    ['knows of an empty list that there are no proxies', { proxies: [] }, true, 0],
    ['does not take a missing list for no proxies', {}, false, 0],
    ['counts a list of another type', { proxies: 'none' }, false, 1],
    ['counts proxies without ids', { proxies: [{ proxy_status: 'in_use' }] }, false, 1],
  ])('%s', async (_, fields, areAllProxiesValid, skipped) => {
    const answer = await read({ body: { data: { ...SERVICE, ...fields } } }, true);
    expect(answer).toMatchObject({ proxies: [], areAllProxiesValid, skipped });
  });

  it('treats the text null as no invoice', async () => {
    const { service } = await read({ body: { data: { ...SERVICE, open_invoice_id: 'null' } } }, false);
    expect(service.hasOpenInvoice).toBe(false);
  });

  it('returns exactly the given values if fields are null, missing or new', async () => {
    let data: unknown = SERVICE;
    await using provider = await startFakeProvider(() => ({ body: { data } }));
    await using client = connect(provider);
    const readIt = () => readService(client, 'API-1234', { withProxies: false, timeZone: 'UTC' });
    const { service: complete } = await readIt();
    const variants = sampleVariants(SERVICE, {
      required: ['service_id'],
      open: ['service_status', 'service_type'],
    });
    await fc.assert(
      fc.asyncProperty(variants, async (variant) => {
        data = variant;
        expect((await readIt()).service).toSatisfy((service) => isSubset(service, complete));
      }),
      { numRuns: 60 },
    );
  });
});

describe('line items', () => {
  const PROXIES = [{ proxy_id: 'p1', service_line_item_id: 'x' }];
  const ITEM = { id: null, countryId: null, quantity: 3, price: null };

  it.each([
    ['by a line item’s id', { rows: [{ service_line_item_id: 'a', quantity: 3 }] }, [{ ...ITEM, id: 'a' }]],
    [
      'by a quantity',
      { locations: [{ country_id: 'de', item_quantity: 3 }] },
      [{ ...ITEM, countryId: 'de' }],
    ],
    [
      'by the id in preference to a quantity',
      {
        discounts: [{ quantity: 9 }],
        rows: [{ line_item_id: 'a', service_line_item_quantity: 3, item_total: 900 }],
      },
      [{ ...ITEM, id: 'a', price: 900 }],
    ],
    ['never among proxies', { proxies: PROXIES }, []],
    ['not if there are none', { line_items: null }, []],
  ])('are found %s', async (_, fields, lineItems) => {
    const { service_line_items: _none, ...bare } = SERVICE;
    const answer = await read({ body: { data: { ...bare, ...fields } } }, true);
    expect(answer).toMatchObject({ lineItems, skippedLineItems: 0 });
  });

  it('that do not decode are counted', async () => {
    const service_line_items = [
      { line_item_id: 'a', quantity: 'three' },
      'b',
      null,
      { line_item_id: 'c', quantity: 1 },
    ];
    const answer = await read({ body: { data: { ...SERVICE, service_line_items } } }, false);
    expect(answer).toMatchObject({ lineItems: [{ id: 'c' }], skippedLineItems: 3 });
  });
});

describe('against the simulated provider', () => {
  const [FIRST] = services(parseScenario({}));
  const ask = ({ client }: SimulatedAccount, withProxies = true): Promise<ServiceAnswer> =>
    readService(client, FIRST?.id ?? '', { withProxies, timeZone: 'UTC' });

  it('line items add up to quantity and price, and name the proxies’ locations', async () => {
    await using account = await openAccount();
    const { service, lineItems, proxies, skipped, skippedLineItems } = await ask(account);
    expect([skipped, skippedLineItems]).toEqual([0, 0]);
    const sum = (of: (item: (typeof lineItems)[number]) => number | null) =>
      lineItems.reduce((total, item) => total + (of(item) ?? 0), 0);
    expect(lineItems.length).toBeGreaterThan(1);
    expect(service.quantity).toBe(sum(({ quantity }) => quantity));
    expect(service.price).toBe(sum(({ price }) => price));
    for (const { id, countryId, quantity } of lineItems) {
      const located = proxies.filter(({ lineItemId, status }) => lineItemId === id && status === 'in_use');
      expect(located).toHaveLength(quantity);
      expect(new Set(located.map((proxy) => proxy.countryId))).toEqual(new Set([countryId]));
    }
  });

  it('leaves out proxies unless requested', async () => {
    await using account = await openAccount();
    expect((await ask(account, false)).proxies).toEqual([]);
    expect(account.simulator.requests.recent.at(-1)?.query).toEqual({});
  });

  it('is paused, then overdue, then canceled', async () => {
    await using account = await openAccount();
    const become = (set: object) => account.simulator.changes.replace([{ kind: 'service', subject: 0, set }]);
    expect((await ask(account)).service).toMatchObject({ status: 'active', isPaused: false });
    become({ service_status: 'paused', service_subscription_is_paused: true });
    expect((await ask(account)).service).toMatchObject({ status: 'paused', isPaused: true });
    become({ service_status: 'overdue', open_invoice_id: 'in_1' });
    expect((await ask(account)).service).toMatchObject({ status: 'overdue', hasOpenInvoice: true });
    become({
      service_status: 'canceled',
      service_is_pending_cancellation: true,
      service_expiry_datetime: null,
    });
    expect((await ask(account)).service).toMatchObject({ status: 'canceled', expiresAt: null });
  });

  it('expires within its cycle, and is renewed', async () => {
    const set = { service_cycle: '1:week', service_is_automatic_collection: false };
    await using account = await openAccount({ changes: [{ kind: 'service', subject: 0, set }] });
    const { service: before } = await ask(account);
    const left = (before.expiresAt ?? 0) - account.clock.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(7 * DAY);
    account.clock.advance(7 * DAY);
    const { service: after } = await ask(account);
    expect(after).toMatchObject({
      cycle: '1:week',
      isAutomaticCollection: false,
      createdAt: before.createdAt,
    });
    expect(after.expiresAt).toBe((before.expiresAt ?? 0) + 7 * DAY);
  });

  it('reports a removed service as not found', async () => {
    await using account = await openAccount({ changes: [{ kind: 'service', subject: 0, absent: true }] });
    await expect(ask(account)).rejects.toMatchObject({ kind: 'not_found', endpoint: 'service/retrieve' });
  });
});
