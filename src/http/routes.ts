// Serves GET /metrics, whole or for some accounts and collectors, GET /probe, which probes now, and POST /-/reload.

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Log } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import type { DaemonView, ProbeAnswer, ProbeOnRequest, ReloadAnswer } from './daemon-view.ts';
import { isFromBrowser } from './host-check.ts';
import {
  describeElsewhere,
  findUnknown,
  findUnknownAccount,
  type Parameter,
  type ParameterMistake,
  valuesOf,
} from './query.ts';

interface Query {
  readonly account?: Parameter;
  readonly collector?: Parameter;
}

export const addMetricsRoute = (app: FastifyInstance, view: DaemonView, log: Log): void => {
  app.route<{ Querystring: Query }>({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    handler: async ({ method, query, headers, raw: { socket } }, reply) => {
      const accounts = valuesOf(query.account);
      const collectors = valuesOf(query.collector);
      const unknown =
        findUnknownAccount(view, accounts) ?? findUnknown('collector', collectors, view.collectors());
      if (unknown) return reply.code(400).send({ error: unknown.mistake });
      const { accept, 'accept-encoding': acceptEncoding } = headers;
      const request = { accept, acceptEncoding, accounts, collectors };
      const answer = await view.scrape(request, () => socket.destroyed);
      reply.headers({
        'content-type': answer.contentType,
        'content-length': answer.contentLength,
        vary: 'accept, accept-encoding',
      });
      if (answer.contentEncoding) reply.header('content-encoding', answer.contentEncoding);
      if (method === 'HEAD') {
        answer.body.destroy();
        return reply.send();
      }
      answer.body.once('error', ({ message, stack }) =>
        log.error({ error: message, stack }, 'the body of a scrape broke off'),
      );
      return reply.send(answer.body);
    },
  });
};

const TIMEOUT_HEADER = 'x-prometheus-scrape-timeout-seconds';

interface Query {
  readonly account?: Parameter;
  readonly proxy?: Parameter;
  readonly url?: Parameter;
}

export const addProbeRoute = (app: FastifyInstance, view: DaemonView): void => {
  // HEAD is not served, because a probe costs bytes and HEAD would throw its result away.
  const options = { exposeHeadRoute: false, config: { acts: true } };
  app.get<{ Querystring: Query }>('/probe', options, async (request, reply) => {
    if (isFromBrowser(request))
      return reply.code(403).send({ error: 'a web page is not allowed to request a probe' });
    const wanted = parse(request.query);
    if ('mistake' in wanted) return reply.code(400).send({ error: wanted.mistake });
    const elsewhere = describeElsewhere(view, wanted.account);
    if (elsewhere !== undefined) return reply.code(400).send({ error: elsewhere });
    const waitsMs = scrapeTimeoutOf(request.headers[TIMEOUT_HEADER]);
    return send(reply, await view.probes.probe({ ...wanted, waitsMs }));
  });
};

/** Prometheus sends its scrape timeout in seconds. */
const scrapeTimeoutOf = (header: string | readonly string[] | undefined): number | undefined => {
  const seconds = Number(header);
  return seconds > 0 && Number.isFinite(seconds) ? seconds * SECOND : undefined;
};

const parse = ({ account, proxy, url }: Query): ProbeOnRequest | ParameterMistake => {
  const repeated = Object.entries({ account, proxy, url }).find(([, value]) => valuesOf(value).length > 1);
  if (repeated) return { mistake: `${repeated[0]}: give it once` };
  const [accountName] = valuesOf(account);
  const [proxyId] = valuesOf(proxy);
  const [urlLabel] = valuesOf(url);
  if (!proxyId) return { mistake: 'proxy: give the id of a configured proxy, as in the label proxy_id' };
  if (!urlLabel) return { mistake: 'url: give the name of a configured url of probes, as in the label url' };
  return { account: accountName, proxy: proxyId, url: urlLabel };
};

const send = (reply: FastifyReply, answer: ProbeAnswer): FastifyReply => {
  if ('mistake' in answer) return reply.code(400).send({ error: answer.mistake });
  if ('refusal' in answer)
    return reply.code(429).header('retry-after', answer.retryAfterS).send({ error: answer.refusal });
  return reply.type(answer.contentType).send(answer.text);
};

export const addReloadRoute = (app: FastifyInstance, reload: () => Promise<ReloadAnswer>): void => {
  app.register(async (scope) => {
    // The body, such as curl's empty form, is ignored.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    scope.post('/-/reload', async (request, reply) => {
      if (isFromBrowser(request))
        return reply.code(403).send({ error: 'a web page is not allowed to request a reload' });
      const { status, body } = toResponse(await reload());
      return reply.code(status).send(body);
    });
  });
};

const OLD_CONFIG_STAYS = 'the old configuration stays in effect';

const toResponse = (answer: ReloadAnswer): { readonly status: number; readonly body: object } => {
  switch (answer.result) {
    case 'reloaded': {
      const { added, changed, removed, needsRestart } = answer;
      return { status: 200, body: { added, changed, removed, needs_restart: needsRestart } };
    }
    case 'mistakes': {
      const mistakes = answer.mistakes.map(({ file, line, column, path, message }) => ({
        file,
        line,
        column,
        path,
        message,
      }));
      return {
        status: 400,
        body: { error: `the configuration has mistakes; ${OLD_CONFIG_STAYS}`, mistakes },
      };
    }
    case 'failed':
      return { status: 500, body: { error: `${answer.error}; ${OLD_CONFIG_STAYS}` } };
    case 'no_file':
      return { status: 501, body: { error: 'this daemon has no configuration file, so it cannot reload' } };
  }
};
