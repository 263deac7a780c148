// Shows purchased services in a list.

import type { Service } from '../answers.ts';
import {
  badge,
  type Column,
  dateAndDistance,
  emptyCell,
  type Level,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { moneyOrDash, textOrDash } from './market.ts';

export const serviceTable = (services: readonly Service[], now: number): Markup =>
  table<Service>('Purchased services', serviceColumns(now), services);

export const serviceColumns = (now: number): Column<Service>[] => [
  {
    name: 'Service',
    cell: ({ account, service_id: id, service_name: name }) =>
      html`${subjectLink(account, 'service', id)} ${quiet(name)}`,
  },
  { name: 'State', cell: serviceState, kind: 'state' },
  { name: 'Type', cell: ({ product_type: type }) => textOrDash(type) },
  { name: 'Country', cell: ({ country_id: country }) => textOrDash(country?.toUpperCase() ?? null) },
  { name: 'Proxies', cell: proxiesOf, kind: 'number' },
  {
    name: 'Price',
    cell: ({ price, currency, cycle }) => html`${moneyOrDash(price, currency)} ${quiet(formatCycle(cycle))}`,
    kind: 'number',
  },
  {
    name: 'Paid until',
    cell: ({ expires_at: at }) => (at === null ? emptyCell() : dateAndDistance(at, now)),
  },
];

const serviceState = (service: Service): Markup => {
  const warnings = [
    service.is_paused ? 'paused' : [],
    service.is_pending_cancellation ? 'cancellation pending' : [],
    service.has_open_invoice ? 'open invoice' : [],
  ].flat();
  const status = service.status ?? 'unknown';
  return badge(levelOf(service.status, warnings.length > 0), [status, ...warnings].join(', '));
};

const levelOf = (status: string | null, hasWarnings: boolean): Level => {
  if (status !== null && status !== 'active') return 'bad';
  if (hasWarnings) return 'fair';
  return status === null ? 'none' : 'good';
};

/** Shows how many of the purchased proxies are in use. */
const proxiesOf = ({ proxies, quantity }: Service): Value => {
  const inUse = proxies?.in_use ?? null;
  if (quantity === null) return inUse === null ? emptyCell() : count(inUse);
  return inUse === null ? html`– of ${count(quantity)}` : `${count(inUse)} of ${count(quantity)}`;
};

/** Formats a cycle, which the provider writes as `1:month`. */
const formatCycle = (cycle: string | null): string => {
  const [amount, unit] = (cycle ?? '').split(':');
  if (!unit) return '';
  return amount === '1' ? `a ${unit}` : `for ${amount} ${unit}s`;
};
