// Renders the status page on the server: a summary that needs no script, and the sections that the script fills.

import type { z } from 'zod';
import { DEFAULT_CURRENCY } from '../config/primitives.ts';
import type { status as statusSchema } from '../http/api/status.ts';
import { addressOf, LIST_VIEWS, SECTIONS, VIEW_NAMES, type View } from '../page/address.ts';
import type { AlertGroups } from '../page/answers.ts';
import { ago } from '../page/components.ts';
import { utc } from '../page/format.ts';
import { html, type Markup } from '../page/html.ts';
import { alertTable } from '../page/views/alerts.ts';
import { collectorTable, noticesView } from '../page/views/collectors.ts';
import type { PageAssets } from './assets.ts';

type Status = z.output<typeof statusSchema>;
type Shards = Status['shards'];

export interface StatusPage {
  readonly status: Status;
  /** Undefined for the views that do not show them. */
  readonly alerts: AlertGroups | undefined;
  /** The account that the page shows; undefined if none is configured. */
  readonly shownAccount: Status['accounts'][number] | undefined;
  readonly view: View;
  /** The current time (ms). */
  readonly now: number;
  readonly assets: Pick<PageAssets, 'base' | 'extension'>;
}

/** Returns the whole document. Its links are relative, so that a reverse proxy may serve it below a path. */
export const statusPage = ({
  status,
  alerts,
  shownAccount: shown,
  view,
  now,
  assets: { base, extension },
}: StatusPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(view, shown)}${status.ready ? '' : ' (not ready)'}</title>
<link rel="icon" href="${base}/icon.svg">
<link rel="stylesheet" href="${base}/uPlot.min.css">
<link rel="stylesheet" href="${base}/style.css">
<script type="module" src="${base}/main${extension}"></script>
</head>
<body data-account="${shown?.name ?? ''}" data-time-zone="${shown?.time_zone ?? ''}" data-view="${view.view}" data-id="${view.id}">
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="top">
${view.view === 'account' ? html`<h1 class="name">${brand(base)}</h1>` : html`<p class="name">${brand(base)}</p>`}
<div id="live" role="status" class="script-only"></div>
<p class="quiet version">${status.version}, started ${ago(status.started_at, now)}<span class="unscripted">, as of ${utc(now)}</span></p>
</div>
${shardNav(status.shards)}
${accountNav(status, shown)}
${shown ? viewNav(view) : null}
</header>
<main id="main" tabindex="-1">
<div id="notices">${noticesView(status, now)}</div>
${shown ? mainContent(view, shown, alerts, now) : html`<p class="empty">${noAccountText(status.shards)}</p>`}
</main>
<footer>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a> <a href="api/v1/status">Status as JSON</a> <a href="api/v1/openapi.json">API</a> <a href="-/ready">Readiness</a></nav>
<p class="quiet"><span class="script-only"><span id="time-zone-text"></span> (<button type="button" id="time-zone" class="link"></button>). Days of traffic, use and the ledger are in the time zone of the account.</span><span class="unscripted">Times are in UTC.</span> 1 GB is 1,000,000,000 bytes.${shown ? html` ${currencyNote(shown.currency)}` : null}</p>
</footer>
</body>
</html>
`.toString();

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

const accountNav = ({ accounts }: Status, shown: StatusPage['shownAccount']): Markup =>
  html`<nav aria-label="Accounts" class="tabs"><ul>${accounts.map(
    ({ name, customer_id: customer }) =>
      html`<li><a href="?account=${encodeURIComponent(name)}" aria-current="${name === shown?.name ? 'page' : 'false'}">${name}${customer === null ? null : html` <span class="quiet">${customer}</span>`}</a></li>`,
  )}</ul></nav>`;

/** Links to the overview of the account and to its lists. */
const viewNav = ({ account, view }: View): Markup =>
  html`<nav aria-label="Views" class="views"><ul>${(['account', ...LIST_VIEWS] as const).map(
    (name) =>
      html`<li><a href="${addressOf({ account, view: name, id: '' })}" aria-current="${name === view ? 'page' : 'false'}">${VIEW_NAMES[name]}</a></li>`,
  )}</ul></nav>`;

const brand = (base: string): Markup =>
  html`<a href="./"><img src="${base}/icon.svg" alt="" width="20" height="20"> proxywatch</a>`;

const titleOf = (view: View, shown: StatusPage['shownAccount']): string =>
  [
    ...(view.view === 'account' ? [] : [headingOf(view).join(', ')]),
    `proxywatch: ${shown?.name ?? 'no account'}`,
  ].join(' – ');

/** Returns the subject and what it is, or only the name of a list. */
const headingOf = ({ view, id }: View): string[] => {
  if (LIST_VIEWS.some((list) => list === view)) return [VIEW_NAMES[view]];
  return [id || (view === 'graph' ? 'Whole account' : 'No subject'), VIEW_NAMES[view].toLowerCase()];
};

/** Says why there is no account to show. */
const noAccountText = ({ shards }: Shards): string =>
  shards === 1 ? 'The configuration has no account.' : 'This shard has no accounts.';

const mainContent = (
  view: View,
  shown: NonNullable<StatusPage['shownAccount']>,
  alerts: AlertGroups | undefined,
  now: number,
): Markup => {
  if (alerts) return accountContent(shown, alertTable(alerts, now), now);
  const [subject, kind] = headingOf(view);
  return html`
<h1>${subject ?? ''} ${kind === undefined ? null : html`<span class="quiet">${kind}</span>`}</h1>
<noscript><p class="empty">This page needs JavaScript. The overview shows alerts and collectors without it.</p></noscript>
<div id="content"></div>`;
};

const accountContent = (
  { name, collectors }: NonNullable<StatusPage['shownAccount']>,
  alerts: Markup,
  now: number,
): Markup => html`
<noscript><p class="empty">Without JavaScript this page shows only alerts and collectors. For all other data, use the API and the metrics.</p></noscript>
<nav aria-label="Sections" class="jump script-only">${Object.entries(SECTIONS).map(([id, title]) => html`<a href="#${id}">${title}</a> `)}</nav>
<section class="script-only" aria-label="Summary"><div id="summary"></div></section>
<section class="card" aria-labelledby="alerts"><details class="fold" open><summary><h2 id="alerts">${SECTIONS.alerts}</h2></summary><div id="alert-list">${alerts}</div><div id="silence-list"></div>
<details id="alert-history" class="script-only"><summary>Alert history</summary><div id="alert-history-list"></div></details></details></section>
<section class="card" aria-labelledby="collectors"><details class="fold" open><summary><h2 id="collectors">${SECTIONS.collectors}</h2></summary>
<div id="collector-list">${collectorTable(name, collectors, now)}</div></details></section>
<div id="content"></div>`;
