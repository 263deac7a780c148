// Serves POST /-/reload, which reads the configuration again and answers with the result.

import type { FastifyInstance } from 'fastify';
import type { ReloadAnswer } from './daemon-view.ts';
import { isFromBrowser } from './host-check.ts';

export const addReloadRoute = (app: FastifyInstance, reload: () => Promise<ReloadAnswer>): void => {
  app.register(async (scope) => {
    // The body, such as curl's empty form, is ignored.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    scope.post('/-/reload', async (request, reply) => {
      if (isFromBrowser(request))
        return reply.code(403).send({ error: 'a web page is not allowed to request a reload' });
      const { status, body } = toResponse(await reload());
      return reply.code(status).send(body);
    });
  });
};

const OLD_CONFIG_STAYS = 'the old configuration stays in effect';

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
      return {
        status: 400,
        body: { error: `the configuration has mistakes; ${OLD_CONFIG_STAYS}`, mistakes },
      };
    }
    case 'failed':
      return { status: 500, body: { error: `${answer.error}; ${OLD_CONFIG_STAYS}` } };
    case 'no_file':
      return { status: 501, body: { error: 'this daemon has no configuration file, so it cannot reload' } };
  }
};
