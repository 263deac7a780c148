// Sends answers with an ETag, or 304 if the client already has them.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api/route.ts';

/** Clients may keep an answer, but must revalidate it before use. */
const CACHE_CONTROL = 'private, no-cache';

/**
 * Sends the result of `answer`, or 304 if the client has the answer of this revision. The revision must be read before
 * the answer, because an answer that is newer than its tag is at worst sent twice.
 */
export const sendWithEtag = async (
  { url, headers }: FastifyRequest,
  reply: FastifyReply,
  revision: string,
  answer: () => Promise<object | ApiError>,
): Promise<FastifyReply> => {
  const etag = etagOf(revision, url);
  const isNotModified = tagsIn(headers['if-none-match']).some((tag) => tag === '*' || tag === etag);
  const body = isNotModified ? undefined : await answer();
  if (body instanceof ApiError) return reply.code(body.status).send({ error: body.error });
  reply.headers({ etag, 'cache-control': CACHE_CONTROL });
  return isNotModified ? reply.code(304).send() : reply.send(body);
};

/** Returns a weak tag, because two answers with one tag have the same content, but perhaps not the same bytes. */
const etagOf = (revision: string, url: string): string =>
  `W/"${createHash('sha256').update(`${url}\n${revision}`).digest('base64url')}"`;

/** Makes all tags weak, so that a tag that a reverse proxy made strong also matches. */
const tagsIn = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((tag) => tag.trim().replace(/^(?:W\/)?(?=")/, 'W/'));
