// Exposes what is stored of the customer as samples.

import type { SampleSink } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import type { ReadContext } from '../context.ts';
import { gauges, sampleAll } from '../families.ts';

const CUSTOMER = 'polled from customer/retrieve.';
const SUMMARY =
  'polled from residential/summary and mobile/summary. The series is missing if the account has no such services.';
const TYPE = ['product_type'] as const;

export const families = {
  ...gauges([], {
    proxywatch_customer_credit: `Store credit of the customer, in cents of the account's currency, ${CUSTOMER}`,
    proxywatch_customer_last_answer_timestamp_seconds: `Time of the newest answer, in seconds since the epoch, ${CUSTOMER}`,
    proxywatch_customer_proxies: `Number of proxies of the customer, ${CUSTOMER}`,
    proxywatch_customer_proxy_user_limit: `Largest number of proxy users that the customer may have, ${CUSTOMER}`,
  }),
  ...gauges(['kyc_level'], {
    proxywatch_customer_info: `Level to which the provider has verified the customer, in a label, ${CUSTOMER} The value is always 1.`,
  }),
  ...gauges(['what'], {
    proxywatch_customer_pending: `Whether a verification (kyc) or a free trial (free_trial) of the customer is pending (1) or not (0), ${CUSTOMER}`,
  }),
  ...gauges(TYPE, {
    proxywatch_customer_left_bytes: `Number of bytes that the customer has left, ${CUSTOMER}`,
    proxywatch_customer_paused: `Whether the active service of the product type is paused (1) or not (0), ${CUSTOMER}`,
    proxywatch_provider_bought_bytes: `Number of bought bytes, ${SUMMARY}`,
    proxywatch_provider_left_bytes: `Number of bytes left, ${SUMMARY}`,
    proxywatch_provider_used_bytes: `Number of used bytes, ${SUMMARY}`,
  }),
} as const;

export const exposeCustomer = async (
  { account, store }: ReadContext<unknown>,
  sink: SampleSink,
): Promise<void> => {
  const state = await store.customers.state(account.name);
  if (state) {
    sampleAll(sink, {}, families, {
      proxywatch_customer_credit: state.credit,
      proxywatch_customer_last_answer_timestamp_seconds: state.answeredAt / SECOND,
      proxywatch_customer_proxies: state.proxies,
      proxywatch_customer_proxy_user_limit: state.userLimit,
    });
    const { kycLevel: kyc_level, isKycPending, isTrialPending } = state;
    if (kyc_level !== null) sink.sample(families.proxywatch_customer_info, { kyc_level }, 1);
    sink.sample(families.proxywatch_customer_pending, { what: 'kyc' }, asNumber(isKycPending));
    sink.sample(families.proxywatch_customer_pending, { what: 'free_trial' }, asNumber(isTrialPending));
    const left = { residential: state.residentialLeftBytes, mobile: state.mobileLeftBytes };
    const paused = { residential: state.isResidentialPaused, mobile: state.isMobilePaused };
    for (const product_type of METERED_TYPES)
      sampleAll(sink, { product_type }, families, {
        proxywatch_customer_left_bytes: left[product_type],
        proxywatch_customer_paused: asNumber(paused[product_type]),
      });
  }
  for (const { productType: product_type, ...summary } of await store.customers.summaries(account.name))
    sampleAll(sink, { product_type }, families, {
      proxywatch_provider_bought_bytes: summary.boughtBytes,
      proxywatch_provider_left_bytes: summary.leftBytes,
      proxywatch_provider_used_bytes: summary.usedBytes,
    });
};

const asNumber = (flag: boolean | null): number | null => (flag === null ? null : Number(flag));
