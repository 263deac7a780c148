// Handles admin requests under /-/: they read the truth and the requests, and read and set faults, outages and changes.

import { z } from 'zod';
import type { Faults } from './faults/faults.ts';
import { HttpError } from './http.ts';
import type { Provider } from './provider.ts';
import type { RequestLog } from './request-log.ts';

interface AdminContext extends Provider {
  readonly faults: Faults;
  readonly requests: RequestLog;
}

/** The `body` of a PUT is the whole new list. Throws HttpError on unknown paths and invalid lists. */
export const handleAdminRequest = (
  { truth, faults, outages, changes, requests }: AdminContext,
  method: string,
  url: URL,
  body: unknown,
): unknown => {
  const call = `${method} ${url.pathname}`;
  switch (call) {
    case 'GET /-/truth':
      return truthResponse(truth, url.searchParams);
    case 'GET /-/requests':
      return requests;
    case 'GET /-/faults':
      return faults.list;
    case 'PUT /-/faults':
      return replaceList(faults, body);
    case 'GET /-/outages':
      return outages.list;
    case 'PUT /-/outages':
      return replaceList(outages, body);
    case 'GET /-/changes':
      return changes.list;
    case 'PUT /-/changes':
      return replaceList(changes, body);
    default:
      throw new HttpError(404, `No ${call}.`);
  }
};

const replaceList = (target: Faults | Provider['outages'] | Provider['changes'], list: unknown): unknown => {
  try {
    target.replace(list);
  } catch (error) {
    if (error instanceof z.ZodError) throw new HttpError(400, z.prettifyError(error));
    throw error;
  }
  return target.list;
};

/** Returns the traffic of [from, to) by a graph's filters, the ledger and the users, as of `at`. Times are in ms. */
const truthResponse = (truth: Provider['truth'], query: URLSearchParams): object => {
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
