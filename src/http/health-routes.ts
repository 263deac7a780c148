// Serves GET /-/healthy, which decides about a restart, and /-/ready, which decides about sending requests.

import type { FastifyInstance } from 'fastify';
import type { DaemonView } from './daemon-view.ts';

export const addHealthRoutes = (app: FastifyInstance, view: DaemonView): void => {
  app.get('/-/healthy', async () => 'proxywatch is healthy.\n');
  app.get('/-/ready', async (_request, reply) => {
    const reasons = await view.notReadyReasons();
    if (reasons.length === 0) return 'proxywatch is ready.\n';
    return reply.code(503).send(['proxywatch is not ready:', ...reasons, ''].join('\n'));
  });
};
