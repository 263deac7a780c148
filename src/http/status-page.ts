// The status page: how every collector of every account is, at a glance and without a script.

import { collectorTable } from './collector-table.ts';
import { html, type Markup, verbatim } from './html.ts';
import { ago, badge, progressBar, span, utcTime } from './page-parts.ts';
import { STYLE } from './status-style.ts';
import type { AccountStatus, MaintenanceStatus, Status } from './view.ts';

/** The whole document, as of `now` (ms). */
export const statusPage = (status: Status, notReadyReasons: readonly string[], now: number): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>proxywatch: ${notReadyReasons.length === 0 ? 'ready' : 'not ready'}</title>
<style>${verbatim(STYLE)}</style>
</head>
<body>
<header>
<h1>proxywatch <small>${status.version}</small></h1>
<p class="quiet">Started ${ago(status.startedAt, now)} · shown as of ${utcTime(now)}</p>
</header>
<main>
${readiness(notReadyReasons)}
${maintenanceGoing(status.maintenance, now)}
${status.accounts.map((account) => accountSection(account, now))}
</main>
<footer>
<nav aria-label="Endpoints">
<a href="/metrics">Metrics</a>
<a href="/api/v1/status">Status as JSON</a>
<a href="/-/ready">Readiness</a>
</nav>
</footer>
</body>
</html>
`.toString();

const readiness = (reasons: readonly string[]): Markup =>
  reasons.length === 0
    ? html`<p>${badge('good', 'Ready')}</p>`
    : html`<section>
<h2>${badge('bad', 'Not ready')}</h2>
<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
</section>`;

/** Said only while it is going: at other times there is nothing to know of it. */
const maintenanceGoing = ({ runningSince, progress }: MaintenanceStatus, now: number): Markup | null =>
  runningSince === null
    ? null
    : html`<section>
<p>Maintenance of the store, running for ${span(now - runningSince)}</p>
${progress && progressBar(progress)}
</section>`;

const accountSection = ({ name, customerId, collectors }: AccountStatus, now: number): Markup =>
  html`<section>
<h2>${name}${customerId === null ? null : html` <small>customer ${customerId}</small>`}</h2>
${collectorTable(name, collectors, now)}
</section>`;
