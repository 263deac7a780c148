// GET /: how the daemon and its collectors are, for people.

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { statusPage } from './status-page.ts';
import { STYLE_SOURCE } from './status-style.ts';
import type { View } from './view.ts';

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

export const addStatusRoutes = (app: FastifyInstance, view: View, clock: Clock): void => {
  app.get('/', async (_request, reply) => {
    const [status, reasons] = await Promise.all([view.status(), view.notReady()]);
    return reply.headers(PAGE_HEADERS).send(statusPage(status, reasons, clock.now()));
  });
};
