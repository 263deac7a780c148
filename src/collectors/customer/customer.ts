// Collects the customer's store credit, limits and state from customer/retrieve, and the sums of bytes from the summaries.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import { mayBeAbsent, ProviderError } from '../../provider/errors.ts';
import { readCustomerState, readSummary } from '../../provider/resources/customers.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { checkCustomer, verifyCustomer } from '../customer.ts';
import { PartStates } from '../parts/part-states.ts';
import { collectParts } from '../parts/parts-run.ts';
import { exposeCustomer, families } from './expose.ts';

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
