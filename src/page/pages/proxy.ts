// The page of a proxy: who it is, whose fault its failing tests are, and its results, failures and changes.

import { addressOf } from '../address.ts';
import type { InventoryChange, InventoryProxy, ProxyDetails } from '../answers.ts';
import { card } from '../card.ts';
import { ago, emptyNote, factList, localTime, subjectLink } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { Section } from '../sections/section.ts';
import { setUpList } from '../sections/simple-list.ts';
import { elementById, show } from '../show.ts';
import { changeTable } from '../views/failures.ts';
import { heatMap } from '../views/matrix.ts';
import type { Page, PageContext } from './page.ts';
import { setUpTestedSubject, subjectCards } from './tested-subject.ts';

const moreCards = html`
${card({ id: 'matrix', title: 'Results by target and tester' }, html`<div id="heat-map"></div>`)}
${card({ id: 'inventory', title: 'Inventory' }, html`<div id="inventory-facts"></div><h3>Changes</h3><div id="change-list"></div>`)}`;

const testFacts = (proxy: ProxyDetails): Readonly<Record<string, Value>> => ({
  Address: `${proxy.host}:${proxy.port} (${proxy.protocol})`,
  Type: proxy.product_type,
  'Last test': proxy.last_tested_at === null ? null : ago(proxy.last_tested_at, Date.now()),
  'Tested since': localTime(Date.parse(proxy.tested_since), 'minute'),
});

export const inventoryFacts = (proxy: InventoryProxy): Readonly<Record<string, Value>> => ({
  Status: proxy.status,
  Address: proxy.ip_address,
  Type: proxy.product_type,
  Place:
    [proxy.city_name, proxy.country_name ?? proxy.country_id].filter((name) => name !== null).join(', ') ||
    null,
  Network: proxy.asn_name ?? (proxy.asn_id === null ? null : `AS${proxy.asn_id}`),
  Service: proxy.service_id === null ? null : subjectLink(proxy.account, 'service', proxy.service_id),
  'Proxy users': proxy.proxy_users,
});

/** What the tester of the newest result saw of a proxy that the inventory does not have. */
const observedFacts = (result: ProxyDetails['newest_result'] & {}): Readonly<Record<string, Value>> => ({
  Address: result.ip_address,
  Place: [result.city_name, result.country_id].filter((name) => name !== null).join(', ') || null,
  Network: result.asn_name ?? (result.asn_id === null ? null : `AS${result.asn_id}`),
});

const observedView = (result: ProxyDetails['newest_result']): Markup =>
  html`${emptyNote('The inventory does not have this proxy.')}${
    result && html`<p>The tester of the newest result saw:</p>${factList(observedFacts(result))}`
  }`;

const testedInventoryView = (proxy: ProxyDetails): Markup =>
  proxy.inventory ? inventoryView(proxy.inventory, proxy.appeared_at) : observedView(proxy.newest_result);

const inventoryView = (proxy: InventoryProxy | null, appearedAt: string | null): Markup => {
  if (!proxy) return emptyNote('The inventory does not have this proxy.');
  const seen = appearedAt === null ? null : localTime(Date.parse(appearedAt), 'minute');
  return factList({ ...inventoryFacts(proxy), 'In the inventory since': seen });
};

const setUp = (context: PageContext) => {
  const { view, onChange } = context;
  const base = `api/v1/accounts/${encodeURIComponent(view.account)}/inventory/`;
  /** Undefined before the first answer, and null if proxywatch does not test the proxy. */
  let tested: ProxyDetails | null | undefined;
  /** Returns the id of the provider, which can differ from the id that the configuration gives the proxy. */
  const providerId = (): string => tested?.inventory?.proxy_id ?? view.id;
  const { subject, others } = setUpTestedSubject<ProxyDetails>(context, {
    kind: 'proxy',
    facts: testFacts,
    onAnswer: (proxy) => {
      tested = proxy;
      // The inventory can have another id for the proxy. The API answers to both, and the tests have only one of them.
      if (proxy && proxy.proxy_id !== view.id) location.replace(addressOf({ ...view, id: proxy.proxy_id }));
      if (proxy) show(elementById('inventory-facts'), testedInventoryView(proxy));
      const cells = proxy?.tests ?? [];
      show(
        elementById('heat-map'),
        cells.length > 0 ? heatMap(view.account, cells) : emptyNote('The proxy has no test results.'),
      );
    },
  });
  const inventory = new Section<InventoryProxy>({
    element: elementById('inventory-facts'),
    // The answer about a tested proxy has its inventory too.
    path: () => (tested === null ? base + encodeURIComponent(view.id) : null),
    draw: (proxy) => inventoryView(proxy, null),
  });
  const changes = setUpList<InventoryChange>({
    id: 'change-list',
    itemName: 'changes',
    path: () =>
      `api/v1/inventory/changes?${new URLSearchParams({ account: view.account, proxy_id: providerId() })}`,
    draw: changeTable,
    noItems: 'proxywatch has seen no changes of this proxy.',
    onChange,
  });
  // The answer about the tests says by which id the inventory knows the proxy.
  const withInventory = async () => {
    await subject();
    await Promise.all([inventory.refresh(), changes()]);
  };
  return { refreshers: [withInventory, ...others] };
};

export const proxyPage: Page = { content: () => subjectCards('proxy', moreCards), setUp };
