// Serves GET /probe, which probes a configured proxy at a configured target and answers in Prometheus's text format.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { SECOND } from '../lib/time.ts';
import type { DaemonView } from './daemon-view.ts';
import { isFromBrowser } from './host-check.ts';
import type { ProbeAnswer, ProbeOnRequest } from './probe-view.ts';
import { type Parameter, type ParameterMistake, valuesOf } from './query.ts';
import { describeElsewhere } from './unknown-account.ts';

const TIMEOUT_HEADER = 'x-prometheus-scrape-timeout-seconds';

interface Query {
  readonly account?: Parameter;
  readonly proxy?: Parameter;
  readonly url?: Parameter;
}

export const addProbeRoute = (app: FastifyInstance, view: DaemonView): void => {
  // HEAD is not served, because a probe costs bytes and HEAD would throw its result away.
  app.get<{ Querystring: Query }>('/probe', { exposeHeadRoute: false }, async (request, reply) => {
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
