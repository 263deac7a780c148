// Handles admin requests under /-/: they read the truth and the requests, and read and set faults, outages and changes.

import { z } from 'zod';
import type { Faults } from './faults/faults.ts';
import { HttpError } from './http.ts';
import type { Provider } from './provider.ts';
import type { SimulatedProxies } from './proxies/proxies.ts';
import type { RequestLog } from './request-log.ts';
import { filterIn } from './traffic/slices.ts';

export interface AdminContext extends Provider {
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly proxies: SimulatedProxies | undefined;
}

/** The faults of one simulated proxy, or of all for `*`. */
const proxyFaultsSchema = z.strictObject({
  subject: z.string().min(1),
  faults: z.array(z.record(z.string(), z.unknown())),
});

/** The `body` of a PUT is the whole new list. Throws HttpError on unknown paths and invalid lists. */
export const handleAdminRequest = async (
  { truth, faults, outages, changes, requests, proxies }: AdminContext,
  method: string,
  url: URL,
  body: unknown,
): Promise<unknown> => {
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
    case 'GET /-/proxies':
      return withoutMethods(started(proxies));
    case 'POST /-/faults':
      return setProxyFaults(started(proxies), body);
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

const replaceList = async (
  target: Faults | Provider['outages'] | Provider['changes'],
  list: unknown,
): Promise<unknown> => {
  await asHttpError(() => target.replace(list));
  return target.list;
};

const setProxyFaults = async (proxies: SimulatedProxies, body: unknown): Promise<unknown> => {
  await asHttpError(async () => {
    const { subject, faults } = proxyFaultsSchema.parse(body);
    await proxies.setFaults(subject, faults);
  });
  return proxies.faults.list;
};

/** Throws HttpError 400 with the mistakes if the work finds the body invalid. */
const asHttpError = async (work: () => void | Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof z.ZodError) throw new HttpError(400, z.prettifyError(error));
    throw error;
  }
};

const started = (proxies: SimulatedProxies | undefined): SimulatedProxies => {
  if (!proxies)
    throw new HttpError(404, 'The simulated proxies are off. Start the simulator with --proxies.');
  return proxies;
};

const withoutMethods = ({ ca, targets, gateways, proxies, faults }: SimulatedProxies): object => ({
  ...{ ca, targets, gateways, proxies },
  faults: faults.list,
});

/** Returns the traffic of [from, to) by a graph's filters, the ledger and the users, as of `at`. Times are in ms. */
const truthResponse = (truth: Provider['truth'], query: URLSearchParams): object => {
  const instant = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const [at, from = 0, to = Number.MAX_SAFE_INTEGER] = ['at', 'from', 'to'].map(instant);
  return {
    traffic: truth.traffic(filterIn(query), from, to, at),
    ledger: truth.ledger(at),
    users: Object.fromEntries(truth.users(at)),
  };
};
