// Says in one line what is not monitored, with links to how to turn each on.

import { html, type Markup } from '../page/html.ts';

/** What the configuration of an account needs for each collector. */
export const COLLECTOR_SETTINGS: Readonly<Record<string, string>> = {
  traffic: 'traffic: {}',
  residential_ledger: 'residential_ledger: {}',
  mobile_ledger: 'mobile_ledger: {}',
  customer: 'customer: {}',
  usage: 'usage: {}',
  prices: 'prices: {residential: 3.5}',
  adjustments: 'adjustments: {}',
  request_log: 'request_log: {}',
  proxy_users: 'proxy_users: {}',
  proxy_tests: 'proxy_tests: {urls: ["https://example.com/"], proxies: [{search: {}}]}',
  probes: 'probes: {urls: ["https://example.com/"]}',
  catalog: 'catalog: {}',
  quotes:
    'quotes: {items: [{name: …, product_code: …, quantity: 1, cycle_interval: month, cycle_interval_count: 1}]}',
  geography: 'geography: {}',
  inventory: 'inventory: {}',
  services: 'services: {}',
  reconciliation: 'reconciliation: {}',
};

/** `on` has the names of the collectors that are on. Shows nothing if all are. */
export const notMonitoredView = (on: readonly string[]): Markup => {
  const off = Object.keys(COLLECTOR_SETTINGS).filter((name) => !on.includes(name));
  if (off.length === 0) return html``;
  return html`<p class="quiet">Not monitored: ${off.map((name, index) => html`${index === 0 ? '' : ', '}<a href="#on-${name}">${name}</a>`)}.</p>
<details id="turn-on"><summary>How to turn them on</summary><p>Add a line to the account in the configuration, and reload it.</p>
<ul>${off.map((name) => html`<li id="on-${name}"><code>${COLLECTOR_SETTINGS[name] ?? ''}</code></li>`)}</ul></details>`;
};
