// POST /-/reload: the configuration is read again; the answer says what came of it.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ReloadAnswer } from './view.ts';

export const addReloadRoute = (app: FastifyInstance, reload: () => Promise<ReloadAnswer>): void => {
  app.register(async (scope) => {
    // Whatever is sent along, such as curl's empty form, is not looked at.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    scope.post('/-/reload', async (request, reply) => {
      if (isFromPage(request)) return reply.code(403).send({ error: 'web pages may not ask for a reload' });
      const { status, body } = toResponse(await reload());
      return reply.code(status).send(body);
    });
  });
};

/**
 * Browsers name the origin of a page that posts; other programs have none. Even the same origin is refused: a page
 * of a foreign site may have its name lead here (DNS rebinding), and none of ours posts.
 */
const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

const KEPT = 'the old configuration goes on';

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
      return { status: 400, body: { error: `the configuration has mistakes; ${KEPT}`, mistakes } };
    }
    case 'failed':
      return { status: 500, body: { error: `${answer.error}; ${KEPT}` } };
    case 'no_file':
      return { status: 501, body: { error: 'this daemon has no configuration file (the demo has none)' } };
  }
};
