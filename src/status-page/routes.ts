// Serves GET /, the status page for people, and the assets that it loads.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { alertGroupsJson } from '../http/api/alert-groups.ts';
import { DAEMON_ACCOUNT } from '../http/api/route.ts';
import { statusJson } from '../http/api/status.ts';
import { isKnownHost, type NameSettings } from '../http/host-check.ts';
import { describeUnknownAccount, pageElsewhere } from '../http/query.ts';
import type { AddRoutes } from '../http/server.ts';
import { viewOf } from '../page/address.ts';
import { type PageAssets, readPageAssets } from './assets.ts';
import { addPublicRoutes } from './public/routes.ts';
import { type StatusPage, statusPage, unknownPage } from './status-page.ts';

/** The page may run only its own modules, create elements only from its own markup, and request only its own server. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types proxywatch',
].join('; ');

const PAGE_HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };

const CACHE_FOR_A_YEAR = 'public, max-age=31536000, immutable';

type Query = Readonly<Record<string, unknown>>;

export const addStatusPage: AddRoutes = (app, context) => {
  const { view, clock, storeReads, names } = context;
  addPublicRoutes(app, context);
  // The assets are read at the first request, because most daemons serve only Prometheus.
  let reading: Promise<PageAssets> | undefined;
  const assets = (): Promise<PageAssets> => {
    reading ??= readPageAssets();
    return reading;
  };
  const sendPage = async (
    request: FastifyRequest<{ Querystring: Query }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { query, url, headers } = request;
    const requested = [query.account].flat()[0] as string | undefined;
    const elsewhere = requested === undefined ? undefined : pageElsewhere(view.shards(), requested);
    // Notifications, rules and dashboards link to one address, which need not be that of the account's shard.
    if (elsewhere !== undefined) return reply.redirect(withSearch(elsewhere, url.slice(url.indexOf('?'))));
    const [status, loaded] = await Promise.all([statusJson(view), assets()]);
    // Browsers show the answer to a person, who needs a way back. Programs get what the API answers.
    const sendUnknown = (error: string): FastifyReply => {
      reply.code(404);
      return headers.accept?.includes('text/html')
        ? reply.headers(PAGE_HEADERS).send(unknownPage(error, loaded.base))
        : reply.send({ error });
    };
    // An address of a removed account must not show the data of another customer.
    const shownAccount = status.accounts.find(({ name }) => requested === undefined || name === requested);
    if (requested !== undefined && !shownAccount) return sendUnknown(describeUnknownAccount(view, requested));
    const shownView = viewOf(query, shownAccount?.name ?? '');
    if (!shownView) return sendUnknown(`view: the page has no view "${query.view}"`);
    // Only the overview shows alerts, of which there may be many.
    const alerts =
      shownView.view === 'account'
        ? await alertGroupsJson(view, [DAEMON_ACCOUNT, ...(shownAccount ? [shownAccount.name] : [])])
        : undefined;
    return reply.headers(PAGE_HEADERS).send(
      statusPage({
        ...{ status, alerts, shownAccount, view: shownView, now: clock.now(), assets: loaded },
        monitored: (shownAccount && view.account(shownAccount.name))?.settings.collectors ?? [],
        actions: actionsOf(request, names),
      }),
    );
  };
  app.get<{ Querystring: Query }>('/', (request, reply) =>
    storeReads.inTurn(reply, () => sendPage(request, reply)),
  );
  app.get<{ Params: { readonly '*': string } }>('/assets/*', async (request, reply) => {
    const { base, files } = await assets();
    const path = `assets/${request.params['*']}`;
    const asset = path.startsWith(`${base}/`) ? files.get(path.slice(base.length + 1)) : undefined;
    if (!asset) return reply.code(404).send({ error: 'not found' });
    return reply.headers({ 'content-type': asset.type, 'cache-control': CACHE_FOR_A_YEAR }).send(asset.body);
  });
};

const actionsOf = ({ isReader, headers }: FastifyRequest, names: NameSettings): StatusPage['actions'] => {
  if (isReader) return 'reader';
  return isKnownHost(headers.host ?? '', names) ? 'on' : 'off';
};

/** Adds the parameters of the request to the address of the page, which may have parameters of its own. */
const withSearch = (page: string, search: string): string => {
  const url = new URL(page);
  for (const [name, value] of new URLSearchParams(search)) url.searchParams.append(name, value);
  return url.href;
};
