// Simulates customer/retrieve, and the summaries of bytes, which add up the ledgers.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import type { Route } from '../http.ts';
import { services } from '../identities.ts';
import type { Scenario } from '../scenario.ts';
import type { LedgerRow } from './ledger.ts';

type Ledgers = { readonly [T in MeteredType]: (at: number) => readonly LedgerRow<T>[] };

interface CustomerContext {
  readonly scenario: Scenario;
  readonly ledgers: Ledgers;
  readonly proxiesAt: (at: number) => number;
}

const USER_LIMIT = 1_000;

export const customerRoutes = ({ scenario, ledgers, proxiesAt }: CustomerContext): Route[] => [
  {
    method: 'GET',
    endpoint: 'customer/retrieve',
    handle: ({ at }) => ({
      data: customerAt({ scenario, ledgers, proxiesAt }, at),
      message: 'Customer found.',
    }),
  },
  ...METERED_TYPES.map(
    (type): Route => ({
      method: 'GET',
      endpoint: `${type}/summary`,
      handle: ({ at }) => {
        const { bought, used, requests } = sumsOf(ledgers, type, at);
        const [bytes, left] = [{ [`${type}_bytes`]: bought }, { [`${type}_bytes_left`]: bought - used }];
        const rest = { [`${type}_bytes_used`]: used, [`${type}_requests`]: requests, proxy_user_ids: [] };
        return { data: { ...bytes, ...left, ...rest }, message: 'Summary found.' };
      },
    }),
  ),
];

/** The personal data must not reach a daemon's metrics, log or store. */
const customerAt = ({ scenario, ledgers, proxiesAt }: CustomerContext, at: number) => {
  const leftOf = (type: MeteredType): number => {
    const { bought, used } = sumsOf(ledgers, type, at);
    return bought - used;
  };
  return {
    customer_id: scenario.customer_id,
    customer_first_name: 'Personal',
    customer_email_address: 'personal@customer.example',
    credit_balance: scenario.credit_cents,
    residential_bytes_left: leftOf('residential'),
    mobile_bytes_left: leftOf('mobile'),
    proxy_count: proxiesAt(at),
    customer_proxy_user_limit: USER_LIMIT,
    active_service_types: [...new Set(services(scenario).map(({ type }) => type))],
    active_residential_service_subscription_is_paused: false,
    active_mobile_service_is_paused: false,
    customer_kyc_level: 'verified',
    kyc_is_pending: false,
    free_trial_is_pending: false,
  };
};

/** Use counts with either sign. Other rows add their bytes if they are positive, and use them if they are negative. */
const sumsOf = <T extends MeteredType>(ledgers: Ledgers, type: T, at: number) => {
  const sums = { bought: 0, used: 0, requests: 0 };
  for (const row of ledgers[type](at) as readonly Readonly<Record<string, unknown>>[]) {
    const bytes = Number(row[`${type}_ledger_bytes`]);
    if (row[`${type}_ledger_reason`] === 'usage' || bytes < 0) sums.used += Math.abs(bytes);
    else sums.bought += bytes;
    sums.requests += Number(row[`${type}_ledger_requests`]);
  }
  return sums;
};
