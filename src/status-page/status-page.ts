// Renders the status page on the server: a summary without scripts, and the sections that the script fills.

import type { z } from 'zod';
import { DEFAULT_CURRENCY } from '../config/primitives.ts';
import type { status as statusSchema } from '../http/api/status.ts';
import { addressOf, isMonitored, NAVIGATION, SECTIONS, VIEW_NAMES, type View } from '../page/address.ts';
import type { AlertGroups } from '../page/answers.ts';
import { ago } from '../page/components.ts';
import { utc } from '../page/format.ts';
import { html, type Markup, type Value } from '../page/html.ts';
import { evaluationNote } from '../page/views/alerts.ts';
import { collectorsView, noticesView } from '../page/views/collectors.ts';
import { overviewAnswers, overviewView } from '../page/views/overview.ts';
import type { PageAssets } from './assets.ts';

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

type Status = z.output<typeof statusSchema>;
type Shards = Status['shards'];

export interface StatusPage {
  readonly status: Status;
  /** Undefined for the views that do not show them. */
  readonly alerts: AlertGroups | undefined;
  /** The account that the page shows; undefined if none is configured. */
  readonly shownAccount: Status['accounts'][number] | undefined;
  readonly view: View;
  readonly monitored: readonly string[];
  /** The current time (ms). */
  readonly now: number;
  readonly assets: Pick<PageAssets, 'base' | 'extension'>;
  /** Whether the server lets this page change something: it refuses names that it does not know, and readers. */
  readonly actions: 'on' | 'off' | 'reader';
}

/** Returns the whole document. Its links are relative, so that a reverse proxy may serve it below a path. */
export const statusPage = ({
  status,
  alerts,
  shownAccount: shown,
  view,
  now,
  assets: { base, extension },
  monitored,
  actions,
}: StatusPage): string =>
  html`<!doctype html>
<html lang="en">
${headOf(
  `${titleOf(view, shown)}${status.ready ? '' : ' (not ready)'}`,
  base,
  html`
<link rel="stylesheet" href="${base}/uPlot.min.css">
<script type="module" src="${base}/main${extension}"></script>`,
)}
<body data-account="${shown?.name ?? ''}" data-time-zone="${shown?.time_zone ?? ''}" data-view="${view.view}" data-id="${view.id}" data-collectors="${monitored.join(' ')}" data-actions="${actions}">
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="top">
${view.view === 'account' ? html`<h1 class="name">${brand(base)}</h1>` : html`<p class="name">${brand(base)}</p>`}
${oneAccount(status, shown)}
<div id="live" role="status" class="script-only"></div>
<p class="quiet version">${status.version}, started ${ago(status.started_at, now)}<span class="unscripted">, as of ${utc(now)}</span></p>
</div>
${actions === 'reader' ? html`<p class="quiet">You are a reader: you see everything, and cannot change anything.</p>` : null}
${shardNav(status.shards)}
${accountNav(status, shown)}
${shown ? viewNav(view, monitored) : null}
</header>
<main id="main" tabindex="-1">
<div id="notices">${noticesView(status, now)}</div>
${shown ? mainContent(view, shown, { status, alerts, monitored, now }) : html`<p class="empty">${noAccountText(status.shards)}</p>`}
</main>
<footer>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a> <a href="api/v1/status">Status as JSON</a> <a href="api/v1/openapi.json">API</a> <a href="-/ready">Readiness</a></nav>
<p class="quiet"><span class="script-only"><span id="time-zone-text"></span> (<button type="button" id="time-zone" class="link"></button>). Days of traffic, use and the ledger are in the time zone of the account.</span><span class="unscripted">Times are in UTC.</span> 1 GB is 1,000,000,000 bytes.${shown ? html` ${currencyNote(shown.currency)}` : null}</p>
</footer>
<dialog id="act" class="card" aria-labelledby="act-title"></dialog>
<dialog id="test" class="card" aria-labelledby="test-title"></dialog>
<p id="act-result" role="alert"></p>
</body>
</html>
`.toString();

/** Returns a document that says what the address names wrongly, and leads back. */
export const unknownPage = (error: string, base: string): string =>
  html`<!doctype html>
<html lang="en">
${headOf('proxywatch: not found', base)}
<body>
<header><p class="name">${brand(base)}</p></header>
<main class="card"><h1>Not found</h1><p>${error}</p><p><a href="./">Back to the overview</a></p></main>
</body>
</html>
`.toString();

/** `more` comes before the page's own style, which overrides it. */
const headOf = (title: string, base: string, more: Value = null): Markup => html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${base}/icon.svg">${more}
<link rel="stylesheet" href="${base}/style.css">
</head>`;

/** The default is no statement of the operator's. */
const currencyNote = (currency: string): string =>
  `Money is in ${currency}${currency === DEFAULT_CURRENCY ? ', the currency of the provider’s examples' : ''}.`;

/** Shows which shard the page belongs to. A daemon without shards shows nothing. */
const shardNav = (shards: Shards): Markup | null => {
  const { shard: own, shards: count, urls } = shards;
  if (count === 1) return null;
  const items = Array.from({ length: count }, (_, shard) => {
    const [text, title] = [`Shard ${shard}`, accountsOf(shards, shard)];
    if (shard === own) return html`<li><a href="./" aria-current="true" title="${title}">${text}</a></li>`;
    const url = urls[shard];
    return url === undefined ? null : html`<li><a href="${url}" title="${title}">${text}</a></li>`;
  });
  return html`<nav aria-label="Shards" class="views"><ul>${items}</ul></nav>`;
};

const accountsOf = ({ accounts }: Shards, shard: number): string =>
  accounts
    .filter((each) => each.shard === shard)
    .map(({ account }) => account)
    .join(', ') || 'no accounts';

/** Names the account beside the brand, because there is no other to choose. */
const oneAccount = ({ accounts }: Status, shown: StatusPage['shownAccount']): Markup | null =>
  shown && accounts.length === 1
    ? html`<p>${shown.name} <span class="quiet">${shown.customer_id}</span></p>`
    : null;

const accountNav = ({ accounts }: Status, shown: StatusPage['shownAccount']): Markup | null =>
  accounts.length < 2
    ? null
    : html`<nav aria-label="Accounts" class="tabs"><ul>${accounts.map(
        ({ name, customer_id: customer }) =>
          html`<li><a href="?account=${encodeURIComponent(name)}" aria-current="${name === shown?.name ? 'page' : 'false'}">${name}${customer === null ? null : html` <span class="quiet">${customer}</span>`}</a></li>`,
      )}</ul></nav>`;

/** Links to the overview of the account, and to what the account has besides. */
const viewNav = ({ account, view }: View, on: readonly string[]): Markup =>
  html`<nav aria-label="Views" class="views"><ul>${[
    'account' as const,
    ...NAVIGATED.filter((name) => isMonitored(NAVIGATION[name], on)),
  ].map(
    (name) =>
      html`<li><a href="${addressOf({ account, view: name, id: '' })}" aria-current="${name === view ? 'page' : 'false'}">${VIEW_NAMES[name]}</a></li>`,
  )}</ul></nav>`;

const NAVIGATED = Object.keys(NAVIGATION) as (keyof typeof NAVIGATION)[];

const brand = (base: string): Markup =>
  html`<a href="./"><img src="${base}/icon.svg" alt="" width="20" height="20"> proxywatch</a>`;

const titleOf = (view: View, shown: StatusPage['shownAccount']): string =>
  [
    ...(view.view === 'account' ? [] : [headingOf(view).join(', ')]),
    `proxywatch: ${shown?.name ?? 'no account'}`,
  ].join(' – ');

/** Returns the subject and what it is, or only the name of a view without a subject. */
const headingOf = ({ view, id }: View): string[] => {
  if (view in NAVIGATION) return [VIEW_NAMES[view]];
  return [id || (view === 'graph' ? 'Whole account' : 'No subject'), VIEW_NAMES[view].toLowerCase()];
};

/** Says why there is no account to show. */
const noAccountText = ({ shards }: Shards): string =>
  shards === 1 ? 'The configuration has no account.' : 'This shard has no accounts.';

type Content = Pick<StatusPage, 'status' | 'alerts' | 'monitored' | 'now'>;
type Account = NonNullable<StatusPage['shownAccount']>;

const mainContent = (view: View, shown: Account, { status, alerts, monitored, now }: Content): Markup => {
  if (alerts) return accountContent(shown, monitored, overviewAnswers(status, shown.name, { alerts }), now);
  const [subject, kind] = headingOf(view);
  return html`
<h1>${subject ?? ''} ${kind === undefined ? null : html`<span class="quiet">${kind}</span>`}</h1>
<div id="subject-acts"></div>
<noscript><p class="empty">This page needs JavaScript. The overview shows alerts and collectors without it.</p></noscript>
<div id="content"></div>`;
};

const accountContent = (
  shown: Account,
  monitored: readonly string[],
  answers: ReturnType<typeof overviewAnswers>,
  now: number,
): Markup => html`
<noscript><p class="empty">Without JavaScript this page shows only alerts and collectors. For all other data, use the API and the metrics.</p></noscript>
<div id="overview">${overviewView(answers, now)}</div>
<div id="alert-note">${answers.alerts && answers.alerts !== 'unknown' ? evaluationNote(answers.alerts, now) : null}</div>
<div id="silence-list"></div>
<section class="card" aria-label="${SECTIONS.collectors}"><div id="collector-list">${collectorsView(shown.name, shown.collectors, now)}</div>
${notMonitoredView(monitored)}</section>
<div id="content"></div>`;
