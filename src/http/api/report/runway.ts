// Reads what is left: the balances, and the quotas of all proxy users.

import { userStatusPages } from '../../../collectors/proxy-users/user-pages.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { AccountView } from '../../daemon-view.ts';
import { unknown } from '../invoice/unknown-part.ts';
import { rfc3339 } from '../item.ts';
import { ledgerJson, readLedger } from '../ledger.ts';
import { MOST_NAMED } from './amounts.ts';
import type { Report, UnknownOfReport } from './report-json.ts';

type Account = Pick<AccountView, 'settings' | 'store' | 'clock' | 'userOptions'>;
type Quotas = NonNullable<Report['quotas']>;

/** Before the whole residential ledger is read, another part says so. */
export const readBalance = async (type: MeteredType, found: Account): Promise<Report['balance']> =>
  found.settings[`${type}_ledger`]
    ? ledgerJson(found.settings.name, await readLedger(type, found)).balance
    : null;

interface Runway extends Pick<Report, 'quotas'> {
  readonly unknown: UnknownOfReport;
}

/** That the users are not polled is said with their use. */
export const readQuotas = async ({ settings, store, clock, userOptions }: Account): Promise<Runway> => {
  if (!settings.proxy_users) return { quotas: null, unknown: [] };
  if ((await store.users.listing(settings.name)).countedAt === null)
    return { quotas: null, unknown: [unknown('quotas', 'proxywatch has not listed all users yet')] };
  const quotas = { exhausted: 0, soon: 0, low: 0, unknown: 0 };
  let next: Quotas['next'] = [];
  for await (const page of userStatusPages({ account: settings, options: userOptions, store, clock })) {
    for (const { user, statuses } of page) {
      if (user.isDeleted) continue;
      for (const product_type of METERED_TYPES) {
        const { state, leftBytes = 0, exhaustedAt } = statuses[product_type];
        // A limit of 0 that the configuration ignores has no state, and is no unknown use.
        if (user.quotas[product_type].usedBytes === null) quotas.unknown += 1;
        else if (state !== undefined && state !== 'ok' && state !== 'unlimited') quotas[state] += 1;
        if (leftBytes <= 0 || exhaustedAt === undefined) continue;
        const exhausted_at = rfc3339(Math.round(exhaustedAt));
        next.push({ proxy_user_id: user.id, product_type, left_bytes: leftBytes, exhausted_at });
      }
    }
    next = next
      .sort((one, other) => Date.parse(one.exhausted_at) - Date.parse(other.exhausted_at))
      .slice(0, MOST_NAMED);
  }
  return { quotas: { ...quotas, next }, unknown: [] };
};
