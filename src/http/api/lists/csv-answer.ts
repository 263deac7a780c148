// Sends lists as CSV (RFC 4180): one page if the client limits it, otherwise all pages, of which only one is in memory.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { StoreReads } from '../../limits.ts';
import type { ApiRequest, ApiRoute } from '../route.ts';

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
  const read = async (cursor: unknown, limit: unknown): Promise<Page> => {
    const answer = await route.read({ ...listRequest, query: { ...listRequest.query, cursor, limit } });
    return route.csv ? { data: route.csv.itemsOf(answer), next_cursor: null } : (answer as Page);
  };
  const { cursor, limit } = listRequest.query;
  const first = await read(cursor, isLimited ? limit : PAGE_SIZE);
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
  readNext: ((cursor: string) => Promise<Page>) | undefined,
): AsyncGenerator<string, void, undefined> {
  const { header, linesOf } = csvOf(itemSchemaOf(route));
  yield header;
  for (let page = first; ; ) {
    yield linesOf(page.data);
    if (page.next_cursor === null || !readNext) return;
    // After an error, the client notices that the answer is incomplete, because the connection ends.
    page = await readNext(page.next_cursor);
  }
}

const itemSchemaOf = ({ answer, csv }: ApiRoute): z.ZodType =>
  csv?.item ?? ((answer as z.ZodObject).shape.data as z.ZodArray<z.ZodType>).element;

const fileNameOf = (path: string): string =>
  `${path.replace(/^\/api\/v1\/(?:accounts\/\{account\}\/)?/, '').replaceAll(/\W+/g, '-')}.csv`;

/** Returns the link to the next page, relative to the path of this one. */
const nextLink = (url: string, cursor: string): string => {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  query.set('cursor', cursor);
  return `<?${query}>; rel="next"`;
};

/** The names of the fields that lead to a value. */
type FieldPath = readonly string[];

/** Returns the values of an item in the order of the columns: objects have a column for each field. */
const fieldPathsOf = (schema: z.ZodType, path: FieldPath = []): readonly FieldPath[] => {
  if (schema instanceof z.ZodNullable) return fieldPathsOf(schema.unwrap() as z.ZodType, path);
  if (!(schema instanceof z.ZodObject)) return [path];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    fieldPathsOf(field as z.ZodType, [...path, name]),
  );
};

/** Returns the header and the lines of items with this schema, each with its line break. */
export const csvOf = (item: z.ZodType) => {
  const paths = fieldPathsOf(item);
  return {
    header: csvLine(paths.map((path) => path.join('.'))),
    linesOf: (items: readonly unknown[]): string => items.map((each) => csvRow(each, paths)).join(''),
  };
};

const csvRow = (item: unknown, paths: readonly FieldPath[]): string =>
  csvLine(paths.map((path) => cellOf(valueAt(item, path))));

const valueAt = (item: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name] ?? null, item);

/** Unknown values are empty. Lists and maps are JSON. */
const cellOf = (value: unknown): string => {
  if (value === null) return '';
  if (typeof value === 'string') return withoutFormula(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/**
 * Puts an apostrophe before texts that a spreadsheet would run as a formula, because ids and names come from elsewhere. It
 * also puts one before an apostrophe, so that a reader gets each text back by removing the first apostrophe.
 */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r\n'＝＋－＠]/.test(text) ? `'${text}` : text);

const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
