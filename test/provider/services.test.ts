// Services out of sample answers, with and without their proxies.

import { describe, expect, it } from 'vitest';
import { readService } from '../../src/provider/services.ts';
import { connect, type Reply, startFakeProvider } from '../support/fake-provider.ts';

const SERVICE = {
  service_id: 'API-1234',
  service_name: 'Shop',
  service_type: 'isp',
  service_protocol: 'ipv4',
  service_status: 'active',
  service_quantity: 10,
  service_total: 2_500.5,
  service_cycle: '1:month',
  service_earliest_cancellation_datetime: null,
  service_expiry_datetime: '2026-04-01 00:00:00',
  service_is_automatic_collection: true,
  service_is_pending_cancellation: false,
  service_subscription_is_paused: false,
  open_invoice_id: 'in_1',
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
  it('gives the service in our words', async () => {
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
      expiresAt: Date.parse('2026-04-01T00:00:00Z'),
      earliestCancellationAt: null,
    });
  });

  it('finds the proxies under whatever name they come', async () => {
    const some_name = [{ proxy_id: 'p1' }, { proxy_id: 'p2', proxy_http_port: 'eighty' }];
    const { proxies, skipped, request } = await read({ body: { data: { ...SERVICE, some_name } } }, true);
    expect(request?.query).toEqual({ proxies: 'True' });
    expect(proxies.map(({ id }) => id)).toEqual(['p1']);
    expect(skipped).toBe(1);
  });

  it('does with the id alone', async () => {
    const { service } = await read({ body: { data: { service_id: 'API-1234' } } }, true);
    expect(service).toMatchObject({ status: null, quantity: null, isPaused: false, hasOpenInvoice: false });
  });

  it('says when there is no such service', async () => {
    await expect(read({ status: 404, body: { message: 'No such service.' } }, false)).rejects.toMatchObject({
      kind: 'not_found',
      message: 'service/retrieve: answered 404: No such service.',
    });
  });
});
