// The parts of undici that proxywatch uses. The whole package, with fetch and caches, would take 2 MB more memory.

import type { Dispatcher as DispatcherType } from 'undici';
import requestOf from 'undici/lib/api/api-request.js';
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

// The package's main module does this too.
Object.assign(Dispatcher.prototype, { request: requestOf });

export { Agent, errors, Pool };

type RequestOptions = Omit<DispatcherType.RequestOptions, 'origin' | 'path'> & {
  readonly dispatcher: DispatcherType;
};

/** Sends a request, and resolves when the headers of its answer have arrived. */
export const request = (
  url: string,
  { dispatcher, ...options }: RequestOptions,
): Promise<DispatcherType.ResponseData> => {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, origin, path: pathname + search });
};
