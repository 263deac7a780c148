// Refuses requests that could change something and come from a reader: a user of web.yml that may see everything.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { mistakeIf, type SettingMistake } from '../../config/config-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the user that sent the request is a reader. Undefined without web.yml. */
    isReader?: boolean;
  }
}

const READING_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Every other method is refused, so a route that is added later is too. Returns undefined if the request may pass. */
export const refuseReader = (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined =>
  READING_METHODS.includes(request.method) && !request.routeOptions.config?.acts
    ? undefined
    : reply.code(403).send({ error: REFUSAL });

const REFUSAL =
  'this user is one of server.readers, so it can read everything and change nothing; log in as another user';

/** `users` are the names in web.yml; undefined if no file is configured. */
export const readerMistakes = (
  readers: readonly string[],
  users: readonly string[] | undefined,
): SettingMistake[] => {
  if (users === undefined)
    return mistakeIf(
      readers.length > 0,
      ['server', 'readers'],
      'this needs server.web_config_file, which has the users and their passwords',
    );
  return readers.flatMap((reader, index) =>
    mistakeIf(
      !users.includes(reader),
      ['server', 'readers', index],
      `"${reader}" is not a user in basic_auth_users of server.web_config_file; add the user there, or remove the name here`,
    ),
  );
};
