// Builds the Account dashboard's rows about proxies, reconciliation of sources, and geography.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, toMillis } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { table } from '../table.ts';
import { bars, graph } from '../time-series.ts';

const placements = (name: string): string =>
  `max by (account, product_type, country_id) (proxywatch_proxies_${name}{${ACCOUNT_SELECTOR}})`;

export const inventoryRow: Row = {
  title: 'Proxies',
  panels: [
    graph({
      title: 'Proxies by type and status',
      description: 'Number of proxies in the last counted listing.',
      unit: 'short',
      width: 12,
      stacked: true,
      queries: {
        '{{product_type}} {{status}}': `sum by (product_type, status) (proxywatch_proxies{${ACCOUNT_SELECTOR}})`,
      },
    }),
    bars({
      title: 'Changes per hour',
      description: 'Number of proxies that appeared, were removed, or got another address, network or city.',
      unit: 'short',
      width: 12,
      queries: {
        '{{change}}': `sum by (change) (increase(proxywatch_inventory_changes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    table({
      title: 'Proxies by country',
      description: 'Countries with the most proxies.',
      width: 12,
      labels: { account: 'Account', product_type: 'Type', protocol: 'Protocol', country_id: 'Country' },
      columns: {
        Proxies: {
          expr: `topk($limit, sum by (account, product_type, protocol, country_id) (proxywatch_proxies{${ACCOUNT_SELECTOR}}))`,
          unit: 'short',
        },
      },
      sortBy: ['Proxies', true],
    }),
    table({
      title: 'Proxies placed elsewhere',
      description:
        'Number of compared proxies, and of those that others place in another country. If there is no data, `inventory.max_geolocations_per_day` is 0, or no proxy is compared yet.',
      width: 12,
      labels: { account: 'Account', product_type: 'Type', country_id: 'Country' },
      columns: {
        Compared: { expr: placements('geolocated'), unit: 'short' },
        Elsewhere: { expr: placements('placed_elsewhere'), unit: 'short' },
      },
      sortBy: ['Elsewhere', true],
    }),
  ],
};

const pairMetric = (name: string): string =>
  `max by (account, pair) (proxywatch_reconcile_${name}{${ACCOUNT_SELECTOR}})`;
const UNEXPLAINED = `abs(${pairMetric('unexplained_bytes')}) / on (account, pair) (${pairMetric('compared_bytes')} > 0)`;

export const reconciliationRow: Row = {
  title: 'Reconciliation',
  panels: [
    graph({
      title: 'Unexplained share of the newest day',
      description:
        'Unexplained difference between two sources, as a share of the larger source, for the newest day with complete data. The dashed line is the threshold of the alert ReconciliationDiffers.',
      unit: 'percentunit',
      width: 12,
      alert: 'ReconciliationDiffers',
      queries: { '{{account}} {{pair}}': UNEXPLAINED },
    }),
    table({
      title: 'Pairs of sources',
      description:
        'Comparison of the newest day for which both sources have complete data. The difference is the first source minus the second source.',
      width: 12,
      labels: { account: 'Account', pair: 'Pair' },
      columns: {
        Day: { expr: toMillis(pairMetric('last_timestamp_seconds')), unit: 'dateTimeAsIso' },
        Compared: { expr: pairMetric('compared_bytes'), unit: 'decbytes' },
        Difference: { expr: pairMetric('difference_bytes'), unit: 'decbytes' },
        Unexplained: { expr: pairMetric('unexplained_bytes'), unit: 'decbytes' },
        'Unexplained share': {
          expr: UNEXPLAINED,
          unit: 'percentunit',
          decimals: 2,
          steps: warnAbove(0.005, 0.01),
        },
      },
    }),
  ],
};

export const geographyRow: Row = {
  title: 'Geography',
  collapsed: true,
  panels: [
    graph({
      title: 'Available nodes by country',
      description: 'Number of residential or mobile nodes that are available in each configured country.',
      unit: 'short',
      width: 6,
      queries: {
        '{{product_type}} {{country_id}}': `max by (product_type, country_id) (proxywatch_available_nodes{${ACCOUNT_SELECTOR}})`,
      },
    }),
    ...[
      { what: 'network', family: 'asn', title: 'Nodes by network' },
      { what: 'city', family: 'city', title: 'Nodes by city' },
      { what: 'subdivision', family: 'subdivision', title: 'Nodes by subdivision' },
    ].map(({ what, family, title }) =>
      graph({
        title,
        description: `Number of nodes that are online in each configured ${what}.`,
        unit: 'short',
        width: 6,
        queries: {
          [`{{${family}_name}}`]: `max by (${family}_id, ${family}_name) (proxywatch_${family}_nodes{${ACCOUNT_SELECTOR}})`,
        },
      }),
    ),
    graph({
      title: 'Addresses by network',
      description: 'Number of IP addresses of each configured autonomous system.',
      unit: 'short',
      width: 12,
      queries: {
        '{{asn_name}}': `max by (asn_id, asn_name) (proxywatch_asn_ip_addresses{${ACCOUNT_SELECTOR}})`,
      },
    }),
    table({
      title: 'Continents',
      description: 'Continents that the provider lists.',
      width: 12,
      labels: { continent_id: 'Continent', continent_name: 'Name' },
      columns: {
        Accounts: {
          expr: `count by (continent_id, continent_name) (proxywatch_continents{${ACCOUNT_SELECTOR}})`,
          unit: 'short',
        },
      },
    }),
  ],
};
