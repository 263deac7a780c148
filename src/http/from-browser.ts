// Recognizes requests that a web page sent, which must not change anything.

import type { FastifyRequest } from 'fastify';

/**
 * Whether a web page sent the request: browsers send the origin of a page that posts, other programs do not. Even the
 * same origin is refused, because a foreign site may let its name resolve to this server (DNS rebinding), and the status
 * page changes nothing.
 */
export const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
