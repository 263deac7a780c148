// Collects the customer's credit, limits and state (customer/retrieve), and the sums of bytes from the summaries.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import { mayBeAbsent, ProviderError } from '../../provider/errors.ts';
import { readCustomerState, readSummary } from '../../provider/resources/customers.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/resources/proxy-users.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { checkCustomer, verifyCustomer } from '../customer.ts';
import { asNumber, gauges, sampleAll } from '../families.ts';
import { PartStates } from '../parts/part-states.ts';
import { collectParts } from '../parts/parts-run.ts';

const CUSTOMER = 'polled from customer/retrieve.';
const SUMMARY =
  'polled from residential/summary and mobile/summary. The series is missing if the account has no such services.';
const TYPE = ['product_type'] as const;

const families = {
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

const exposeCustomer = async ({ account, store }: ReadContext<unknown>, sink: SampleSink): Promise<void> => {
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

const ENDPOINT = 'customer/retrieve';
const summaryEndpoint = (type: MeteredType): string => `${type}/summary`;

const customerOptions = z.strictObject({
  schedule: cronExpression().default('*/30 * * * *').describe('Schedule for reading the customer'),
});
type CustomerOptions = z.infer<typeof customerOptions>;
type Context = RunContext<CustomerOptions>;

/** The series of the customer, and of each product type. */
const [SERIES, SERIES_OF_TYPE] = [7, 5];

export const customer: Collector<CustomerOptions, PartStates> = {
  name: 'customer',
  description: 'Store credit, limits and state of the customer, and sums of bytes',
  endpoints: [ENDPOINT, ...METERED_TYPES.map(summaryEndpoint), CUSTOMER_ENDPOINT],
  families: Object.values(families),
  options: customerOptions,
  cost: ({ schedule }, zone, now) => ({
    requestsPerDay: slotsPerDay(schedule, zone, now) * (1 + METERED_TYPES.length),
    series: SERIES + SERIES_OF_TYPE * METERED_TYPES.length,
    assumptions: [],
    warnings: [],
  }),
  open: async () => new PartStates(),
  collect,
  expose: exposeCustomer,
};

/** Without an answer about the customer, a refused summary would not show that the account has no such services. */
async function collect(context: Context, states: PartStates): Promise<Outcome> {
  const skipped = await collectCustomer(context);
  const parts = METERED_TYPES.map((type) => ({
    ...{ name: `${type} summary`, endpoint: summaryEndpoint(type) },
    collect: () => collectSummary(context, type),
  }));
  const outcome = await collectParts(context, states, { parts, limit: 1, answerErrorKind: 'not_found' });
  return { ...outcome, skipped: outcome.skipped + skipped };
}

/** Returns 1 if a value was left out because its type differed from the documented one. */
async function collectCustomer(context: Context): Promise<number> {
  const { account, client, clock, signal, store } = context;
  const { customerId, hasInvalidValue, ...state } = await readCustomerState(client, { signal });
  if (customerId === null) await verifyCustomer(context);
  else await checkCustomer(context, ENDPOINT, [customerId]);
  await store.customers.save(account.name, { ...state, answeredAt: clock.now() });
  return Number(hasInvalidValue);
}

/** The provider refuses the summary of a product type that the account does not have. That is an answer. */
async function collectSummary(context: Context, type: MeteredType): Promise<number> {
  const { account, client, clock, signal, store } = context;
  // A summary does not name its customer.
  await verifyCustomer(context);
  try {
    const { hasInvalidValue, ...summary } = await readSummary(client, type, { signal });
    await verifyCustomer(context);
    const answered = { ...summary, productType: type, answeredAt: clock.now() };
    await store.customers.saveSummary(account.name, answered);
    return Number(hasInvalidValue);
  } catch (error) {
    if (!(error instanceof ProviderError) || !mayBeAbsent(error)) throw error;
    await store.customers.removeSummary(account.name, type);
    return 0;
  }
}
