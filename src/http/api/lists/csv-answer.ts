// Sends lists as CSV: one page if the client limits it, otherwise all pages, of which only one is in memory.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { StoreReads } from '../../store-reads.ts';
import { ApiError, type ApiRequest, type ApiRoute } from '../route.ts';
import { csvHeader, csvRow, fieldPathsOf } from './csv.ts';

/** How many items are read at a time. */
const PAGE_SIZE = 500;

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

type ListRequest = ApiRequest<Record<string, unknown>>;

/** The first page is read within the turn of the request. Every further page waits for a turn of its own. */
export const sendCsv = async (
  route: ApiRoute,
  listRequest: ListRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  storeReads: StoreReads,
): Promise<FastifyReply> => {
  const isLimited = 'limit' in (request.query as object);
  const read = (cursor: unknown, limit: unknown): Promise<Page | ApiError> =>
    route.read({ ...listRequest, query: { ...listRequest.query, cursor, limit } }) as Promise<
      Page | ApiError
    >;
  const { cursor, limit } = listRequest.query;
  const first = await read(cursor, isLimited ? limit : PAGE_SIZE);
  if (first instanceof ApiError) return reply.code(first.status).send({ error: first.error });
  reply.headers({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileNameOf(route.path)}"`,
  });
  if (isLimited && first.next_cursor !== null) reply.header('link', nextLink(request.url, first.next_cursor));
  if (request.method === 'HEAD') return reply.send('');
  const { socket } = request.raw;
  const readNext = isLimited
    ? undefined
    : (next: string) =>
        storeReads.run(
          () => socket.destroyed,
          () => read(next, PAGE_SIZE),
        );
  return reply.send(Readable.from(textOf(route, first, readNext)));
};

async function* textOf(
  route: ApiRoute,
  first: Page,
  readNext: ((cursor: string) => Promise<Page | ApiError>) | undefined,
): AsyncGenerator<string, void, undefined> {
  const paths = fieldPathsOf(itemSchemaOf(route));
  yield csvHeader(paths);
  for (let page = first; ; ) {
    yield page.data.map((item) => csvRow(item, paths)).join('');
    if (page.next_cursor === null || !readNext) return;
    const next = await readNext(page.next_cursor);
    // The client notices that the answer is incomplete, because the connection ends.
    if (next instanceof ApiError) throw new Error(next.error);
    page = next;
  }
}

const itemSchemaOf = ({ answer }: ApiRoute): z.ZodType =>
  ((answer as z.ZodObject).shape.data as z.ZodArray<z.ZodType>).element;

const fileNameOf = (path: string): string => `${path.replace('/api/v1/', '').replaceAll(/\W+/g, '-')}.csv`;

/** Returns the link to the next page, relative to the path of this one. */
const nextLink = (url: string, cursor: string): string => {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  query.set('cursor', cursor);
  return `<?${query}>; rel="next"`;
};
