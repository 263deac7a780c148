// Declares what a route says about itself to the checks in front of all routes, and to the log.

import type { FastifyRequest } from 'fastify';
import { pathOf } from './query.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route costs or changes something although its method is GET. */
    readonly acts?: boolean;
    /** Whether the route needs no login, because its path has a token. */
    readonly isPublic?: boolean;
  }
}

/**
 * Returns the path of a request for the log. That of a public page has a token, which a misspelt path may have too, so
 * the pattern of the route is logged, and nothing of such a path without a route.
 */
export const loggedPath = ({ url, routeOptions, is404 }: FastifyRequest): string => {
  if (routeOptions.config?.isPublic) return routeOptions.url ?? '';
  const path = pathOf(url);
  return is404 && /public|badge|%/i.test(path) ? UNKNOWN_PATH : path;
};

const UNKNOWN_PATH = 'an unknown path';
