// Serves GET /public/TOKEN and /badge/TOKEN.svg without a login. Any other address gets what an unknown path gets.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { AddRoutes, PublicPage } from '../../http/server.ts';
import { SECOND } from '../../lib/time.ts';
import { type AccountState, readAccountState } from './account-state.ts';
import { badgeSvg } from './badge.ts';
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
