// Renders the status page on the server: a summary that needs no script, and the sections that the script fills.

import type { z } from 'zod';
import { ago, emptyNote } from '../page/components.ts';
import { utc } from '../page/format.ts';
import { html, type Markup } from '../page/html.ts';
import { alertTable } from '../page/views/alerts.ts';
import { collectorTable } from '../page/views/collectors.ts';
import { noticesView } from '../page/views/notices.ts';
import type { status as statusSchema } from './api/status.ts';
import type { PageAssets } from './page-assets.ts';
import { balanceSection, marketSection, quotaSection, testSection, trafficSection } from './page-sections.ts';

type Status = z.output<typeof statusSchema>;

export interface StatusPage {
  readonly status: Status;
  /** The account that the page shows; undefined if none is configured. */
  readonly shownAccount: Status['accounts'][number] | undefined;
  /** The current time (ms). */
  readonly now: number;
  readonly assets: Pick<PageAssets, 'base' | 'extension'>;
}

/** Returns the whole document. Its links are relative, so that a reverse proxy may serve it below a path. */
export const statusPage = ({
  status,
  shownAccount: shown,
  now,
  assets: { base, extension },
}: StatusPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>proxywatch: ${shown?.name ?? 'no account'}${status.ready ? '' : ' (not ready)'}</title>
<link rel="icon" href="${base}/icon.svg">
<link rel="stylesheet" href="${base}/uPlot.min.css">
<link rel="stylesheet" href="${base}/style.css">
<script type="module" src="${base}/main${extension}"></script>
</head>
<body data-account="${shown?.name ?? ''}">
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="top">
<h1><img src="${base}/icon.svg" alt="" width="20" height="20"> proxywatch</h1>
<div id="live" role="status" class="script-only"></div>
<p class="quiet version">${status.version}, started ${ago(status.started_at, now)}<span class="unscripted">, as of ${utc(now)}</span></p>
</div>
${accountNav(status, shown)}
</header>
<main id="main" tabindex="-1">
<div id="notices">${noticesView(status, now)}</div>
${shown ? accountSections(shown, alertContent(status, now), now) : html`<p class="empty">The configuration has no account.</p>`}
</main>
<footer>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a> <a href="api/v1/status">Status as JSON</a> <a href="api/v1/openapi.json">API</a> <a href="-/ready">Readiness</a></nav>
<p class="quiet"><span class="script-only">Times are in your time zone. Point at a time to see it in UTC. Days of the ledger are in the provider’s time zone.</span><span class="unscripted">Times are in UTC.</span> 1 GB is 1,000,000,000 bytes. Money is in the account’s currency.</p>
</footer>
</body>
</html>
`.toString();

const accountNav = ({ accounts }: Status, shown: StatusPage['shownAccount']): Markup =>
  html`<nav aria-label="Accounts" class="tabs"><ul>${accounts.map(
    ({ name, customer_id: customer }) =>
      html`<li><a href="?account=${encodeURIComponent(name)}" aria-current="${name === shown?.name ? 'page' : 'false'}">${name}${customer === null ? null : html` <span class="quiet">${customer}</span>`}</a></li>`,
  )}</ul></nav>`;

/** Renders the firing alerts of the status. The script also shows pending ones. */
const alertContent = (status: Status, now: number): Markup => {
  const { alerts_evaluated: evaluated, alerts_evaluated_at: evaluated_at, alerts: data } = status;
  const pending = status.alerts_pending ?? 0;
  if (evaluated && data.length === 0 && pending > 0)
    return emptyNote(`No alert is firing. Pending alerts: ${pending}.`);
  return alertTable({ evaluated, evaluated_at, data, next_cursor: null }, now);
};

const accountSections = (
  { name, collectors }: NonNullable<StatusPage['shownAccount']>,
  alerts: Markup,
  now: number,
): Markup => html`
<noscript><p class="empty">Without JavaScript this page shows only firing alerts and collectors. For all other data, use the API and the metrics.</p></noscript>
<section class="script-only" aria-label="Summary"><div id="summary"></div></section>
<section class="card" aria-labelledby="alerts"><h2 id="alerts">Alerts</h2><div id="alert-list">${alerts}</div><div id="silence-list"></div>
<details id="alert-history" class="script-only"><summary>Alert history</summary><div id="alert-history-list"></div></details></section>
<section class="card" aria-labelledby="collectors"><h2 id="collectors">Collectors</h2>
<div id="collector-list">${collectorTable(name, collectors, now)}</div></section>
${trafficSection}${quotaSection}${balanceSection}${testSection}${marketSection}`;
