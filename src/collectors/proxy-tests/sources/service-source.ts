// The proxies of a purchased service, from service/retrieve.

import { readService, type ServiceAnswer } from '../../../provider/services.ts';
import { checkCustomer } from '../../customer.ts';
import { accountList, isInUse, type Protocol } from './account-proxy.ts';
import { type ProxySource, UNKNOWN } from './source.ts';

export interface ServiceSourceOptions {
  readonly service_id: string;
  readonly protocol: Protocol;
}

const ENDPOINT = 'service/retrieve';

export const serviceSource = ({ service_id, protocol }: ServiceSourceOptions): ProxySource => ({
  name: `${protocol} proxies of service ${service_id}`,
  asksProvider: true,
  preview: () => UNKNOWN,
  list: async (context) => {
    const { account, client, signal } = context;
    const query = { withProxies: true, timeZone: account.time_zone, signal };
    const answer = await readService(client, service_id, query);
    const { proxies, skipped } = answer;
    const customerIds = proxies.flatMap(({ customerId }) => customerId ?? []);
    await checkCustomer(context, ENDPOINT, customerIds);
    const isWhole = isPlausible(answer);
    return accountList(proxies.filter(isInUse), protocol, { skipped, isGone: () => isWhole });
  },
});

/** An item that did not decode may be any of those known, and an active service has not lost all of its proxies. */
const isPlausible = ({ service, proxies, skipped }: ServiceAnswer): boolean =>
  skipped === 0 && (proxies.length > 0 || service.status !== 'active' || !service.quantity);
