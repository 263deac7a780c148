// Builds the Account dashboard's row about purchased services: their details, terms and proxies.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, inCurrency, toMillis } from '../expressions.ts';
import { redAbove, type Steps, warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import { bars } from '../time-series.ts';

const DAY_S = 86_400;
const SERVICE = 'account, service_id';
const SERVICE_SELECTOR = `${ACCOUNT_SELECTOR}, service_id=~"$service_id"`;

const flag = (name: string, steps: Steps) => ({
  expr: `max by (${SERVICE}) (proxywatch_service_${name}{${SERVICE_SELECTOR}})`,
  unit: 'bool_yes_no',
  steps,
});

const YES_IS_GOOD: Steps = [
  [null, 'orange'],
  [1, 'green'],
];

export const serviceRow: Row = {
  title: 'Services',
  panels: [
    table({
      title: 'Services',
      description: 'Name, type and status of each service, as the provider reports them.',
      width: 10,
      height: 12,
      labels: {
        account: 'Account',
        service_id: 'Service',
        service_name: 'Name',
        product_type: 'Type',
        protocol: 'Protocol',
        status: 'Status',
        country_id: 'Country',
        cycle: 'Cycle',
      },
      statusPage: ['service_id'],
      columns: {
        Known: {
          expr: `max by (${SERVICE}, service_name, product_type, protocol, status, country_id, cycle) (proxywatch_service_info{${SERVICE_SELECTOR}})`,
          unit: 'bool_yes_no',
        },
      },
    }),
    table({
      title: 'Terms',
      description:
        'Expiry, quantity and price of each service, and states that need your attention, such as an open invoice. The price is for one billing cycle.',
      width: 14,
      height: 12,
      labels: { account: 'Account', service_id: 'Service', currency: 'Currency' },
      statusPage: ['service_id'],
      columns: {
        Expires: {
          expr: toMillis(
            `max by (${SERVICE}) (proxywatch_service_expiry_timestamp_seconds{${SERVICE_SELECTOR}})`,
          ),
          unit: 'dateTimeAsIso',
        },
        'Expires in': {
          expr: `max by (${SERVICE}) (proxywatch_service_expiry_timestamp_seconds{${SERVICE_SELECTOR}}) - time()`,
          unit: 's',
          steps: warnBelow(0, 7 * DAY_S),
        },
        'Automatic renewal': flag('automatic_collection', YES_IS_GOOD),
        'Open invoice': flag('open_invoice', redAbove(1)),
        Paused: flag('paused', redAbove(1)),
        'Pending cancellation': flag('pending_cancellation', redAbove(1)),
        Bought: {
          expr: `max by (${SERVICE}) (proxywatch_service_quantity{${SERVICE_SELECTOR}})`,
          unit: 'short',
        },
        'In use': {
          expr: `sum by (${SERVICE}) (proxywatch_service_proxies{${SERVICE_SELECTOR}, status="in_use"})`,
          unit: 'short',
        },
        Missing: {
          expr: `max by (${SERVICE}) (proxywatch_service_quantity{${SERVICE_SELECTOR}}) - on (${SERVICE}) sum by (${SERVICE}) (proxywatch_service_proxies{${SERVICE_SELECTOR}, status="in_use"})`,
          unit: 'short',
          steps: redAbove(1),
        },
        Price: {
          expr: inCurrency(`max by (${SERVICE}) (proxywatch_service_price{${SERVICE_SELECTOR}})`),
          unit: 'none',
          decimals: 2,
        },
        'Earliest cancellation': {
          expr: toMillis(
            `max by (${SERVICE}) (proxywatch_service_earliest_cancellation_timestamp_seconds{${SERVICE_SELECTOR}})`,
          ),
          unit: 'dateTimeAsIso',
        },
      },
      sortBy: ['Expires', false],
    }),
    table({
      title: 'Bought proxies by country',
      description: 'Number of bought proxies in the line items of each service, by country.',
      width: 12,
      labels: { account: 'Account', service_id: 'Service', country_id: 'Country' },
      statusPage: ['service_id'],
      columns: {
        Bought: {
          expr: `sum by (${SERVICE}, country_id) (proxywatch_service_line_item_quantity{${SERVICE_SELECTOR}})`,
          unit: 'short',
        },
      },
      sortBy: ['Bought', true],
    }),
    table({
      title: 'Proxies of services by status',
      description: 'Number of proxies of each service by status, as the service reports them.',
      width: 12,
      labels: { account: 'Account', service_id: 'Service', status: 'Status' },
      statusPage: ['service_id'],
      columns: {
        Proxies: {
          expr: `sum by (${SERVICE}, status) (proxywatch_service_proxies{${SERVICE_SELECTOR}})`,
          unit: 'short',
        },
      },
      sortBy: ['Proxies', true],
    }),
    bars({
      title: 'Adjustments of services',
      description: 'Adjustments that reached a status, by type. An adjustment counts once for each status.',
      unit: 'short',
      width: 24,
      queries: {
        '{{type}}, {{status}}': `sum by (type, status) (increase(proxywatch_service_adjustments_total{${ACCOUNT_SELECTOR}}[$__interval])) > 0`,
      },
    }),
    table({
      title: 'Customer',
      description:
        'Store credit, proxies, the most proxy users and the level of verification, as the provider reports them.',
      width: 12,
      labels: { account: 'Account', kyc_level: 'Verified', currency: 'Currency' },
      columns: {
        Credit: {
          expr: inCurrency(`max by (account) (proxywatch_customer_credit{${ACCOUNT_SELECTOR}}) / 100`),
          unit: 'none',
          decimals: 2,
        },
        'Last answer': {
          expr: toMillis(
            `max by (account) (proxywatch_customer_last_answer_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
          ),
          unit: 'dateTimeAsIso',
        },
        Proxies: {
          expr: `max by (account) (proxywatch_customer_proxies{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
        'Most users': {
          expr: `max by (account) (proxywatch_customer_proxy_user_limit{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
        Known: {
          expr: `max by (account, kyc_level) (proxywatch_customer_info{${ACCOUNT_SELECTOR}})`,
          unit: 'bool_yes_no',
        },
      },
    }),
    table({
      title: 'Bytes of the customer',
      description:
        'Bytes that the provider says are bought, used and left, and whether something is paused or pending.',
      width: 12,
      labels: { account: 'Account', product_type: 'Type', what: 'Pending' },
      columns: {
        ...Object.fromEntries(
          [
            ['Bought', 'provider_bought_bytes'],
            ['Used', 'provider_used_bytes'],
            ['Left', 'provider_left_bytes'],
            ['Left (customer)', 'customer_left_bytes'],
          ].map(([title, name]) => [
            title,
            {
              expr: `max by (account, product_type) (proxywatch_${name}{${ACCOUNT_SELECTOR}})`,
              unit: 'decbytes',
            },
          ]),
        ),
        Paused: {
          expr: `max by (account, product_type) (proxywatch_customer_paused{${ACCOUNT_SELECTOR}})`,
          unit: 'bool_yes_no',
        },
        Waits: {
          expr: `max by (account, what) (proxywatch_customer_pending{${ACCOUNT_SELECTOR}})`,
          unit: 'bool_yes_no',
        },
      },
    }),
  ],
};
