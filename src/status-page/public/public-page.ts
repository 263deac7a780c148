// Renders a public page: one document without scripts, links and other files, because the rest of the server may need a login.

import { createHash } from 'node:crypto';
import { percent, utc } from '../../page/format.ts';
import { html, type Markup, verbatim } from '../../page/html.ts';
import { type AccountState, isPartlyUnknown, type State, shareUp, stateOfShare } from './account-state.ts';

const STYLE = `
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--line:#e1e5ea;--text:#1b2430;--quiet:#566272;--operational:#17693a;--degraded:#7d4a00;--outage:#a81b26;--unknown:#566272}
@media(prefers-color-scheme:dark){:root{--page:#11151b;--card:#181e26;--line:#2a333f;--text:#e2e7ee;--quiet:#9caabb;--operational:#82d8a5;--degraded:#efc173;--outage:#ff9da4;--unknown:#9caabb}}
*{box-sizing:border-box}
body{max-width:48rem;margin:0 auto;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.45 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.5rem;margin:0 0 1rem}
h2{font-size:1rem;margin:0}
p,dl,dd{margin:0}
section{margin:0 0 .75rem;padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.head{display:flex;flex-wrap:wrap;gap:.25rem 1rem;justify-content:space-between}
.operational{color:var(--operational)}.degraded{color:var(--degraded)}.outage{color:var(--outage)}.unknown{color:var(--unknown)}
.days{display:flex;gap:2px;height:1.5rem;margin:.5rem 0}
.days span{flex:1;max-width:1rem;background:currentColor;border-radius:2px}
dl{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
dl div{display:flex;gap:.35rem}
dt,.quiet{color:var(--quiet)}
`;

/** The page loads nothing, and has only this style. Without its empty icon, browsers request one, which may need a login. */
export const PUBLIC_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const WORDS: Readonly<Record<State, string>> = {
  operational: 'Operational',
  degraded: 'Degraded',
  outage: 'Outage',
  unknown: 'Unknown',
};

const SIGNS: Readonly<Record<State, string>> = { operational: '✓', degraded: '!', outage: '✕', unknown: '–' };

/** `at` is when the states were read (ms). */
export const publicPage = (title: string, accounts: readonly AccountState[], at: number): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${verbatim(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${accounts.map(accountSection)}
<p class="quiet">As of ${utc(at)}. Reload for the present state. Uptime is the share of tests that succeeded.</p>
</main>
</body>
</html>
`.toString();

const accountSection = ({ name, proxies, uptime, days }: AccountState): Markup => {
  const share = shareUp([proxies]);
  const state = stateOfShare(share);
  return html`<section>
<div class="head"><h2>${name}</h2><p class="${state}"><span aria-hidden="true">${SIGNS[state]}</span> <strong>${WORDS[state]}</strong>${share !== null && isPartlyUnknown([proxies]) ? ', partly unknown' : null}</p></div>
${days.length === 0 ? null : html`<p class="days" role="img" aria-label="Uptime by day, the oldest first: ${days.map(orUnknown).join(', ')}">${days.map((day) => html`<span class="${stateOfDay(day)}" title="${orUnknown(day)}"></span>`)}</p>`}
<dl>${fact('Proxies up', share)}${fact('Uptime, 24 hours', uptime.day)}${fact(`Uptime, ${days.length === 1 ? '1 day' : `${days.length} days`}`, uptime.month)}</dl>
</section>
`;
};

const fact = (name: string, share: number | null): Markup =>
  html`<div><dt>${name}</dt><dd>${orUnknown(share)}</dd></div>`;

const orUnknown = (share: number | null): string => (share === null ? 'unknown' : percent(share));

/** Single tests fail also on a good day. */
const stateOfDay = (share: number | null): State => {
  if (share === null) return 'unknown';
  if (share >= 0.95) return 'operational';
  return share >= 0.5 ? 'degraded' : 'outage';
};
