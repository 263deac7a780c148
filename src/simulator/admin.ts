// The admin surface under /-/: the truth to read; faults, outages and changes to read and set.

import { z } from 'zod';
import type { Faults } from './faults/faults.ts';
import { Refusal } from './http.ts';
import type { Provider } from './provider.ts';
import type { RequestLog } from './request-log.ts';

interface Controls extends Provider {
  readonly faults: Faults;
  readonly requests: RequestLog;
}

/** `body` of a PUT is the whole new list. Throws Refusal on unknown paths and bad lists. */
export const administer = (
  { truth, faults, outages, changes, requests }: Controls,
  method: string,
  url: URL,
  body: unknown,
): unknown => {
  const call = `${method} ${url.pathname}`;
  switch (call) {
    case 'GET /-/truth':
      return truthAnswer(truth, url.searchParams);
    case 'GET /-/requests':
      return requests;
    case 'GET /-/faults':
      return faults.list;
    case 'PUT /-/faults':
      return replaced(faults, body);
    case 'GET /-/outages':
      return outages.list;
    case 'PUT /-/outages':
      return replaced(outages, body);
    case 'GET /-/changes':
      return changes.list;
    case 'PUT /-/changes':
      return replaced(changes, body);
    default:
      throw new Refusal(404, `No ${call}.`);
  }
};

const replaced = (board: Faults | Provider['outages'] | Provider['changes'], list: unknown): unknown => {
  try {
    board.replace(list);
  } catch (error) {
    if (error instanceof z.ZodError) throw new Refusal(400, z.prettifyError(error));
    throw error;
  }
  return board.list;
};

/** Traffic of [from, to) by the filters of the graph, the ledger and the users, at the instant `at`; all in ms. */
const truthAnswer = (truth: Provider['truth'], query: URLSearchParams): object => {
  const text = (name: string) => query.get(name) ?? undefined;
  const instant = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const filter = {
    network: text('network'),
    hostname: text('hostname'),
    proxyUserId: text('proxy_user_id'),
    serviceId: text('service_id'),
  };
  const at = instant('at');
  return {
    traffic: truth.traffic(filter, instant('from') ?? 0, instant('to') ?? Number.MAX_SAFE_INTEGER, at),
    ledger: truth.ledger(at),
    users: Object.fromEntries(truth.users(at)),
  };
};
