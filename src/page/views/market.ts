// Shows purchased services, prices of orders and stock in tables.

import type { Customer, Product, Quote, Service } from '../answers.ts';
import {
  badge,
  type Column,
  column,
  dateAndDistance,
  factList,
  type Level,
  orDash,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { count, money } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

export const customerView = (customer: Customer | undefined): Markup => {
  if (!customer) return html``;
  const { credit, currency, proxies, proxy_user_limit: users, kyc_level: level } = customer;
  return factList({
    'Store credit': moneyOrDash(credit, currency),
    Proxies: orDash(proxies, count),
    'Proxy users, at most': orDash(users, count),
    Verification: customer.is_kyc_pending ? 'pending' : level,
    'Free trial': customer.is_trial_pending ? 'pending' : null,
    'Residential service': customer.is_residential_paused ? 'paused' : null,
    'Mobile service': customer.is_mobile_paused ? 'paused' : null,
  });
};

const QUOTE_STATES: Readonly<Record<NonNullable<Quote['state']>, readonly [Level, string]>> = {
  valid: ['good', 'Valid'],
  short_stock: ['fair', 'Not enough stock'],
  invalid: ['bad', 'Invalid'],
  rejected: ['bad', 'Rejected'],
};

const quoteState = (state: Quote['state']): Markup =>
  state === null ? badge('none', 'No answer yet') : badge(...QUOTE_STATES[state]);

export const quoteTable = (quotes: readonly Quote[]): Markup =>
  table<Quote>(
    'Prices of the configured orders',
    [
      column('Order', ({ quote }) => quote),
      column('State', ({ state, reason }) => html`${quoteState(state)} ${quiet(reason)}`),
      column('Price', ({ price, currency }) => moneyOrDash(price, currency), 'number'),
      column('List price', ({ list_price: price, currency }) => moneyOrDash(price, currency), 'number'),
      column('Credit', ({ credit_balance: credit, currency }) => moneyOrDash(credit, currency), 'number'),
    ],
    quotes,
  );

export const productTable = (products: readonly Product[]): Markup =>
  table<Product>(
    'Products of the catalog',
    [
      column('Product', ({ product_code: code }) => code),
      column('State', productState, 'state'),
      column('Country', ({ country_id: country }) => orDash(country?.toUpperCase() ?? null)),
      column('Stock', stockOf, 'number'),
    ],
    products,
  );

const stockOf = ({ stock, is_stock_unlimited: isUnlimited }: Product): Value => {
  if (isUnlimited) return 'unlimited';
  return orDash(stock, count);
};

const productState = ({ is_available: isAvailable, is_listed: isListed }: Product): Markup => {
  if (!isListed) return badge('bad', 'Not in the catalog');
  if (isAvailable === null) return badge('none', 'Unknown');
  return isAvailable ? badge('good', 'Available') : badge('bad', 'Not available');
};

const moneyOrDash = (cents: number | null, currency: string): Value =>
  orDash(cents, (each) => money(each, currency));

export const serviceTable = (services: readonly Service[], now: number): Markup =>
  table<Service>('Purchased services', serviceColumns(now), services);

const MAX_SERVICES = 3;

/** Shows the services whose paid time ends first, those that are over last. */
export const firstServices = (services: readonly Service[], now: number): Markup => {
  const endOf = ({ expires_at: at, effective_status: status }: Service): number =>
    at === null || status === 'over' ? Infinity : Date.parse(at);
  return serviceTable(
    services.toSorted((one, other) => endOf(one) - endOf(other)).slice(0, MAX_SERVICES),
    now,
  );
};

export const serviceColumns = (now: number): Column<Service>[] => [
  column(
    'Service',
    ({ account, service_id: id, service_name: name }) =>
      html`${subjectLink(account, 'service', id)} ${quiet(name)}`,
  ),
  column('State', (service) => serviceState(service, now), 'state'),
  column('Type', ({ product_type: type }) => orDash(type)),
  column('Country', ({ country_id: country }) => orDash(country?.toUpperCase() ?? null)),
  column('Proxies', proxiesOf, 'number'),
  column(
    'Price',
    ({ price, currency, cycle }) => html`${moneyOrDash(price, currency)} ${quiet(formatCycle(cycle))}`,
    'number',
  ),
  column('Paid until', ({ expires_at: at }) => orDash(at, (end) => dateAndDistance(end, now))),
];

const serviceState = (service: Service, now: number): Markup => {
  const { expires_at: end, missing_proxies: missing } = service;
  const warnings = [
    service.is_expiring ? (Date.parse(end ?? '') > now ? 'ends soon' : 'paid time ended') : [],
    service.lacks_proxies ? `${count(missing ?? 0)} ${missing === 1 ? 'proxy' : 'proxies'} missing` : [],
    service.is_paused ? 'paused' : [],
    service.is_pending_cancellation ? 'cancellation pending' : [],
    service.has_open_invoice ? 'open invoice' : [],
  ].flat();
  const status = service.status ?? 'unknown';
  return badge(levelOf(service, warnings.length > 0, now), [status, ...warnings].join(', '));
};

/** A service that has a problem, and ends within this time, is urgent. */
const URGENT_MS = 48 * 3_600_000;
/** Nobody can meet a deadline that was longer ago. No alert reports the expiry of a service for longer. */
const PAST_MS = 7 * 24 * 3_600_000;

export const isMeetable = (end: string | null, now: number): boolean => Date.parse(end ?? '') > now - PAST_MS;

export const isUrgentEnd = (end: string | null, now: number): boolean =>
  isMeetable(end, now) && Date.parse(end ?? '') < now + URGENT_MS;

/** Is as red as the row about the service at the top of the overview. */
const levelOf = (service: Service, hasWarnings: boolean, now: number): Level => {
  const { effective_status: status, is_expiring: isExpiring, lacks_proxies: lacksProxies } = service;
  if (status === 'not_active') return 'bad';
  if (status === 'over') return 'none';
  const hasProblem = status === 'paused' || isExpiring || lacksProxies;
  if (hasProblem && isUrgentEnd(service.expires_at, now)) return 'bad';
  if (hasProblem || hasWarnings) return 'fair';
  return status === 'active' ? 'good' : 'none';
};

/** Shows how many of the purchased proxies are in use. A service that is sold by the byte has no number of proxies. */
const proxiesOf = ({ proxies_in_use: inUse, product_type: type, quantity }: Service): Value => {
  if (quantity === null || type === 'residential' || type === 'mobile') return orDash(inUse, count);
  return inUse === null ? html`– of ${count(quantity)}` : `${count(inUse)} of ${count(quantity)}`;
};

/** Formats a cycle, which the provider writes as `1:month`. */
const formatCycle = (cycle: string | null): string => {
  const [amount, unit] = (cycle ?? '').split(':');
  if (!unit) return '';
  return amount === '1' ? `a ${unit}` : `for ${amount} ${unit}s`;
};
