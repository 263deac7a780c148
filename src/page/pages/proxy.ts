// The page of a proxy: what it is, what is at fault for its failing tests, and its results, failures and changes.

import { addressOf } from '../address.ts';
import type {
  Freshness,
  InventoryChange,
  InventoryProxy,
  InventoryProxyDetails,
  ProxyDetails,
} from '../answers.ts';
import { ago, card, emptyNote, factList, minute, subjectLink } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { setUpList } from '../paged-list.ts';
import { section } from '../sections/section.ts';
import { elementById, show } from '../show.ts';
import { changeTable } from '../views/failures.ts';
import { withFreshness } from '../views/freshness.ts';
import { inventoryChangeNote } from '../views/inventory.ts';
import { resultsView, testersCounted, uptimeFromHere } from '../views/verdict.ts';
import type { Page, PageContext } from './page.ts';
import { setUpTestedSubject, subjectCards } from './tested-subject.ts';

const moreCards = html`
${card({ id: 'matrix', title: 'Results by target and tester' }, html`<div id="heat-map"></div>`)}
${card({ id: 'inventory', title: 'Inventory' }, html`<div id="inventory-facts"></div><h3>Changes</h3><div id="change-list"></div>`)}`;

const testFacts = (proxy: ProxyDetails): Readonly<Record<string, Value>> => ({
  Address: `${proxy.host}:${proxy.port} (${proxy.protocol})`,
  Type: proxy.product_type,
  'Last test': proxy.last_tested_at === null ? null : ago(proxy.last_tested_at, Date.now()),
  'Tests below by': testersCounted(proxy.tests, proxy.from_here),
  'Tested since': minute(proxy.tested_since),
});

const inventoryFacts = (proxy: InventoryProxy): Readonly<Record<string, Value>> => ({
  Status: proxy.status,
  Address: proxy.ip_address,
  Type: proxy.product_type,
  Place:
    [proxy.city_name, proxy.country_name ?? proxy.country_id].filter((name) => name !== null).join(', ') ||
    null,
  'Others place it in':
    proxy.placed_in &&
    proxy.placed_at &&
    html`${proxy.placed_in.toUpperCase()}, as of ${minute(proxy.placed_at)}`,
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

const observedView = (result: ProxyDetails['newest_result']): Markup | null =>
  result && Object.values(observedFacts(result)).some((fact) => fact !== null)
    ? html`<p>The tester of the newest result saw:</p>${factList(observedFacts(result))}`
    : null;

/** Says that the inventory does not have the proxy only if the inventory was read. */
const inventoryView = (
  proxy: InventoryProxy | null,
  freshness: Freshness | undefined,
  appearedAt: string | null = null,
): Markup =>
  withFreshness({ freshness, now: Date.now(), isEmpty: proxy === null }, () => {
    if (proxy)
      return factList({
        ...inventoryFacts(proxy),
        'In the inventory since': appearedAt === null ? null : minute(appearedAt),
      });
    return emptyNote(
      freshness
        ? 'The inventory does not have this proxy.'
        : 'It is unknown whether the inventory has this proxy.',
    );
  });

const setUp = (context: PageContext) => {
  const { view, onChange } = context;
  const base = `api/v1/accounts/${encodeURIComponent(view.account)}/inventory/`;
  /** Undefined before the first answer, and null if proxywatch does not test the proxy. */
  let tested: ProxyDetails | null | undefined;
  /** The freshness of the inventory, which the answer about the tests and a 404 do not have. */
  let inventoryFreshness: Freshness | undefined;
  /** Returns the id of the inventory, which can differ from the id that the configuration gives the proxy. */
  const inventoryId = (): string => tested?.inventory_id ?? view.id;
  const { subject, others } = setUpTestedSubject<ProxyDetails>(context, {
    kind: 'proxy',
    facts: testFacts,
    fromHere: ({ tests, from_here: fromHere }) => uptimeFromHere(tests, fromHere),
    onAnswer: (proxy) => {
      tested = proxy;
      // The inventory can have another id for the proxy. The API answers to both, and the tests have only one of them.
      if (proxy && proxy.proxy_id !== view.id) location.replace(addressOf({ ...view, id: proxy.proxy_id }));
      const { tests = [], from_here: fromHere = null, verdict_text: verdict = '' } = proxy ?? {};
      show(elementById('heat-map'), resultsView(view.account, tests, fromHere, Date.now(), verdict));
    },
  });
  const inventory = section<InventoryProxyDetails>({
    element: elementById('inventory-facts'),
    // The answer about a tested proxy has its inventory too.
    path: () => (tested === null ? base + encodeURIComponent(view.id) : null),
    draw: (proxy) => inventoryView(proxy, proxy?.freshness[0] ?? inventoryFreshness),
  });
  const showInventoryOfTested = (): void => {
    if (!tested) return;
    const { inventory: found, inventory_change: change, appeared_at: at, newest_result: result } = tested;
    show(
      elementById('inventory-facts'),
      html`${inventoryChangeNote(change)}${inventoryView(found, inventoryFreshness, at)}${found ? null : observedView(result)}`,
    );
  };
  const changes = setUpList<InventoryChange>({
    id: 'change-list',
    itemName: 'changes',
    path: () =>
      `api/v1/inventory/changes?${new URLSearchParams({ account: view.account, proxy_id: inventoryId() })}`,
    draw: changeTable,
    noItems: 'proxywatch has stored no changes of this proxy.',
    onFreshness: (freshness) => {
      inventoryFreshness = freshness;
    },
    onChange,
  });
  const withInventory = async () => {
    // The answer about the tests says by which id the inventory knows the proxy, and the changes how fresh the inventory is.
    await subject();
    await changes();
    showInventoryOfTested();
    await inventory();
  };
  return { refreshers: [withInventory, ...others] };
};

export const proxyPage: Page = { content: () => subjectCards('proxy', moreCards), setUp };
