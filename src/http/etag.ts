// Answers that are sent only to who does not have them already.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './api/route.ts';

/** May be kept, but is asked for again before it is used. */
const CACHE_CONTROL = 'private, no-cache';

/**
 * Sends what `answer` gives, or 304 when the client has it of this revision. The revision has to be read before the
 * answer is made: an answer that is newer than its tag is at worst sent twice.
 */
export const sendUnlessKnown = async (
  { url, headers }: FastifyRequest,
  reply: FastifyReply,
  revision: string,
  answer: () => Promise<object | Refusal>,
): Promise<FastifyReply> => {
  const etag = etagOf(revision, url);
  const isKnown = tagsIn(headers['if-none-match']).some((tag) => tag === '*' || tag === etag);
  const body = isKnown ? undefined : await answer();
  if (body instanceof Refusal) return reply.code(body.status).send({ error: body.error });
  reply.headers({ etag, 'cache-control': CACHE_CONTROL });
  return isKnown ? reply.code(304).send() : reply.send(body);
};

/** Weak: two answers under one tag say the same, not in the same bytes. */
const etagOf = (revision: string, url: string): string =>
  `W/"${createHash('sha256').update(`${url}\n${revision}`).digest('base64url')}"`;

/** Tags are compared weakly, so that one that a proxy made strong is known too. */
const tagsIn = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((tag) => tag.trim().replace(/^(?:W\/)?(?=")/, 'W/'));
