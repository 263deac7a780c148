// Fills the section about services, orders and stock, as far as their collectors are on.

import type { Customer, Page, Product, Quote, Service, ServiceSummary, Unknown } from '../answers.ts';
import { quiet } from '../components.ts';
import { html, type Markup } from '../html.ts';
import { isOn } from '../monitored.ts';
import { setUpList } from '../paged-list.ts';
import { elementById } from '../show.ts';
import { itemsWithFreshness, withFreshness } from '../views/freshness.ts';
import { serviceLabelTables } from '../views/label-use.ts';
import { customerView, firstServices, productTable, quoteTable } from '../views/market.ts';
import { type Refresh, section } from './section.ts';
import { adjustmentFrame, setUpAdjustments } from './subject-lists.ts';

export const hasServices = (): boolean => isOn(['services']);

/** The lists besides that of services. Each has the name of its collector, and the id of its element. */
const LISTS = [
  { collector: 'quotes', id: 'quotes', title: 'Orders' },
  { collector: 'catalog', id: 'products', title: 'Stock' },
] as const;

const shownLists = () => LISTS.filter(({ collector }) => isOn([collector]));

/** Orders and stock are one click away, unless the section has nothing else. */
export const marketFrame = (): Markup =>
  html`${hasCustomer() ? html`<div id="customer"></div>` : null}${hasServices() ? serviceFrame : null}${adjustmentFrame()}${listFrame()}`;

const hasCustomer = (): boolean => isOn(['customer']);

const serviceFrame = html`<div id="services"></div>
<details id="service-labels" hidden><summary>Services by label</summary><div id="service-label-tables"></div></details>`;

const listFrame = (): Markup | null => {
  const shown = shownLists();
  if (shown.length === 0) return null;
  const title = shown.length === 1 ? shown[0]?.title : 'Orders and stock';
  return html`
<details${hasServices() ? null : html` open`}><summary>${title ?? null}</summary><div class="columns">${shown.map(
    (list) => html`<div><h3>${list.title}</h3><div id="${list.id}"></div></div>`,
  )}</div></details>`;
};

/**
 * Returns the functions that refresh the section. `onChange` is called when a page is turned, `onServices` with each answer
 * about services, or that it is unknown.
 */
export const setUpMarket = (
  account: string,
  onChange: () => void,
  onServices: (services: Page<Service> | null | Unknown) => void,
): Refresh[] => {
  const query = `account=${encodeURIComponent(account)}`;
  const list = <T>(id: string, noItems: string, draw: (items: readonly T[]) => Markup) =>
    setUpList<T>({
      ...{ id, itemName: id, noItems, draw, onChange, isBrief: false, pageSize: 5 },
      path: () => `api/v1/${id}?${query}`,
    });
  const lists = {
    quotes: () => list<Quote>('quotes', 'The configuration has no orders.', quoteTable),
    products: () => list<Product>('products', 'The catalog has no products.', productTable),
  };
  return [
    ...(hasCustomer() ? [setUpCustomer(query)] : []),
    ...(hasServices() ? [setUpServices(query, onServices), setUpServiceLabels(query)] : []),
    ...setUpAdjustments({ account }, onChange),
    ...shownLists().map(({ id }) => lists[id]()),
  ];
};

const setUpCustomer = (query: string): Refresh =>
  section<Page<Customer>>({
    element: elementById('customer'),
    path: () => `api/v1/customers?${query}`,
    draw: (page) =>
      itemsWithFreshness(page, 'proxywatch has not read the customer yet.', ([first]) => customerView(first)),
  });

const setUpServices = (
  query: string,
  onAnswer: (services: Page<Service> | null | Unknown) => void,
): Refresh =>
  section<Page<Service>>({
    element: elementById('services'),
    path: () => `api/v1/services?${query}`,
    draw: (page) => {
      const now = Date.now();
      return itemsWithFreshness(
        page,
        'proxywatch knows no services of this account.',
        (items) => firstServices(items, now),
        { now },
      );
    },
    onAnswer,
  });

/** Without labels, and before the first answer about services, there is nothing to open. */
const setUpServiceLabels = (query: string): Refresh =>
  section<ServiceSummary>({
    element: elementById('service-label-tables'),
    path: () => `api/v1/services/summary?${query}`,
    draw: (summary) => {
      const shown = summary?.data.some(({ services }) => services > 0) ? summary.labels : [];
      elementById('service-labels').hidden = shown.length === 0;
      return withFreshness(
        { freshness: summary?.freshness, isEmpty: shown.length === 0, isBrief: true },
        () => html`${serviceLabelTables(shown)}<p>${quiet('Services that are over are not counted.')}</p>`,
      );
    },
    onError: () => {
      elementById('service-labels').hidden = false;
    },
  });
