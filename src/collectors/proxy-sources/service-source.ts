// Reads the proxies of a purchased service, from service/retrieve.

import { readService, type ServiceAnswer } from '../../provider/resources/services.ts';
import { checkCustomer } from '../customer.ts';
import { isInUse } from '../proxy-status.ts';
import { toSourceList } from './account-proxy.ts';
import type { ServiceEntry } from './entries.ts';
import { readLogin } from './login.ts';
import { type ProxySource, UNKNOWN_PREVIEW } from './source.ts';

const ENDPOINT = 'service/retrieve';

export const serviceSource = ({ service_id, protocol, proxy_user_id }: ServiceEntry): ProxySource => ({
  name: `${protocol} proxies of service ${service_id}${proxy_user_id ? ` as ${proxy_user_id}` : ''}`,
  isFromProvider: true,
  endpoint: ENDPOINT,
  preview: () => UNKNOWN_PREVIEW,
  list: async (context) => {
    const { account, client, signal } = context;
    const login = await readLogin(context, proxy_user_id);
    const query = { withProxies: true, timeZone: account.time_zone, signal };
    const answer = await readService(client, service_id, query);
    const { proxies, skipped } = answer;
    const customerIds = proxies.flatMap(({ customerId }) => customerId ?? []);
    await checkCustomer(context, ENDPOINT, customerIds);
    const isComplete = isPlausiblyComplete(answer);
    const items = proxies.filter(({ status }) => isInUse(status));
    return {
      ...toSourceList(items, { protocol, login }, { skipped, isRemoved: () => isComplete }),
      isSuspicious: hasFewerThanBought(answer),
    };
  },
});

/** An item that did not decode may be any known proxy, and an active service does not lose all of its proxies. */
const isPlausiblyComplete = ({ service, proxies, skipped }: ServiceAnswer): boolean =>
  skipped === 0 && (proxies.length > 0 || service.status !== 'active' || !service.quantity);

/** Fewer proxies than were bought may be all that exist, or only a part of them. A service that has ended has none. */
const hasFewerThanBought = ({ service: { status, quantity }, proxies }: ServiceAnswer): boolean =>
  (status === 'active' || status === null) && proxies.length < (quantity ?? 1);
