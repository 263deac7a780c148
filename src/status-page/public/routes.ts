// Serves GET /public/TOKEN and /badge/TOKEN.svg without a login, and draws the badge. Any other address gets what an unknown
// path gets.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { AddRoutes, PublicPage } from '../../http/server.ts';
import { SECOND } from '../../lib/time.ts';
import { percent } from '../../page/format.ts';
import { html } from '../../page/html.ts';
import {
  type AccountState,
  isPartlyUnknown,
  readAccountState,
  type State,
  shareUp,
  stateOfShare,
} from './account-state.ts';
import { PUBLIC_PAGE_POLICY, publicPage } from './public-page.ts';

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
