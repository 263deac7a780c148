// Serves GET /public/TOKEN and /badge/TOKEN.svg without a login, and draws the page and the badge. The page is one document without scripts,
// links and other files, because the rest of the server may need a login. Any other address gets what an unknown path gets.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { AddRoutes, PublicPage } from '../../http/server.ts';
import { SECOND } from '../../lib/time.ts';
import { percent, utc } from '../../page/format.ts';
import { html, type Markup, verbatim } from '../../page/html.ts';
import {
  type AccountState,
  isPartlyUnknown,
  readAccountState,
  type State,
  shareUp,
  stateOfShare,
} from './account-state.ts';

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
const PUBLIC_PAGE_POLICY = [
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
const publicPage = (title: string, accounts: readonly AccountState[], at: number): string =>
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

const NOT_INDEXED = { 'x-robots-tag': 'noindex, nofollow' };
const PAGE_HEADERS = {
  ...NOT_INDEXED,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PUBLIC_PAGE_POLICY,
};
/** Other sites show the badge. Caches of images ask again each time. */
const BADGE_HEADERS = {
  ...NOT_INDEXED,
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'cross-origin',
};

/** Everyone may request these pages, so their states are not read more often (ms). */
const KEPT_MS = 15 * SECOND;

interface Reading {
  readonly at: number;
  readonly accounts: Promise<readonly AccountState[]>;
}

export const addPublicRoutes: AddRoutes = (app, { view, clock, storeReads, publicPages }) => {
  /** By page of the configuration in effect. */
  const readings = new WeakMap<PublicPage, Reading>();
  const readingOf = (page: PublicPage): Reading => {
    const now = clock.now();
    const known = readings.get(page);
    if (known && Math.abs(now - known.at) < KEPT_MS) return known;
    // No client can end a reading that others wait for.
    const read = () => Promise.all(page.accounts.map((name) => readAccountState(view, name, now)));
    const reading = { at: now, accounts: storeReads.run(() => false, read) };
    readings.set(page, reading);
    reading.accounts.catch(() => readings.delete(page));
    return reading;
  };
  type Show = (page: PublicPage, accounts: readonly AccountState[], at: number) => string;
  const add = (path: string, end: string, headers: Readonly<Record<string, string>>, show: Show): void => {
    const options = { config: { isPublic: true } };
    app.get<{ Params: { readonly '*': string } }>(`${path}*`, options, async ({ params }, reply) => {
      const rest = params['*'];
      const page = rest.endsWith(end)
        ? findPage(publicPages(), rest.slice(0, rest.length - end.length))
        : undefined;
      if (!page) return sendUnknown(reply);
      const { accounts, at } = readingOf(page);
      return reply.headers(headers).send(show(page, await accounts, at));
    });
  };
  add('/public/', '', PAGE_HEADERS, ({ title }, accounts, at) => publicPage(title, accounts, at));
  add('/badge/', '.svg', BADGE_HEADERS, ({ title }, accounts) => badgeSvg(title, accounts));
};

const sendUnknown = (reply: FastifyReply): FastifyReply => reply.code(404).send({ error: 'not found' });

/** Compares digests of all tokens, so that the time does not depend on how much of a token is right. */
const findPage = (pages: readonly PublicPage[], requested: string): PublicPage | undefined => {
  const digest = digestOf(requested);
  return pages.filter(({ token }) => timingSafeEqual(digestOf(token.reveal()), digest))[0];
};

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const BADGE_COLOURS: Readonly<Record<State, string>> = {
  operational: '#17693a',
  degraded: '#8a5200',
  outage: '#a81b26',
  unknown: '#566272',
};

/** The images that a badge is shown in have no fonts of their own, so the widths are estimates (px). */
const CHARACTER = 6.8;
const PADDING = 12;
const HEIGHT = 20;

export const badgeText = (accounts: readonly AccountState[]): string => {
  const counts = accounts.map(({ proxies }) => proxies);
  const share = shareUp(counts);
  if (share === null) return 'unknown';
  return `${percent(share)} up${isPartlyUnknown(counts) ? ', rest unknown' : ''}`;
};

const badgeSvg = (title: string, accounts: readonly AccountState[]): string => {
  const text = badgeText(accounts);
  const [left, right] = [title, text].map((each) => Math.ceil(each.length * CHARACTER + PADDING)) as [
    number,
    number,
  ];
  const colour = BADGE_COLOURS[stateOfShare(shareUp(accounts.map(({ proxies }) => proxies)))];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${title}: ${text}">
<title>${title}: ${text}</title>
<rect width="${left}" height="${HEIGHT}" fill="#3a424d"/><rect x="${left}" width="${right}" height="${HEIGHT}" fill="${colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${title}</text><text x="${left + right / 2}" y="14">${text}</text></g>
</svg>
`.toString();
};
