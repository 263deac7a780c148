// Long lists in pages, ordered by account and id, so that a page goes on where the last one ended whatever came or went.

import { setImmediate } from 'node:timers/promises';
import type { Listed } from '../collectors/proxy-tests/reading.ts';
import { limitOf, type Mistake, type Parameter, unknownIn, valuesOf } from './query.ts';

export interface PageQuery {
  readonly account?: Parameter;
  readonly limit?: Parameter;
  readonly cursor?: Parameter;
}

interface Position {
  readonly account: string;
  readonly id: string;
}

export interface PageRequest {
  /** Known ones, each once, in order. */
  readonly accounts: readonly string[];
  readonly limit: number;
  /** The last item of the page before; null for the first page. */
  readonly after: Position | null;
}

export interface Page<T> {
  readonly items: readonly { readonly account: string; readonly item: T }[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export const parsePageQuery = (query: PageQuery, known: readonly string[]): PageRequest | Mistake => {
  const accounts = valuesOf(query.account);
  const limit = limitOf(query.limit);
  const after = positionAt(query.cursor);
  const unknown = unknownIn('account', accounts, known);
  if (unknown) return unknown;
  if (typeof limit === 'object') return limit;
  if (after && 'mistake' in after) return after;
  const asked = new Set(accounts.length === 0 ? known : accounts);
  return { accounts: [...asked].sort(), limit, after };
};

/** Lists what comes after the request's position, and reads only what is on the page. */
export const readPage = async <T>(
  { accounts, limit, after }: PageRequest,
  list: (account: string) => Promise<readonly Listed<T>[]>,
): Promise<Page<T>> => {
  const following: { account: string; listed: Listed<T> }[] = [];
  for (const account of accounts) {
    if (following.length > limit) break;
    const listed = (await list(account)).filter(({ id }) => isAfter({ account, id }, after));
    const first = listed.sort(byId).slice(0, limit + 1);
    following.push(...first.map((listed) => ({ account, listed })));
  }
  const items: { account: string; item: T }[] = [];
  for (const { account, listed } of following.slice(0, limit)) {
    items.push({ account, item: await listed.read() });
    // The store reads without a pause: between two items others have their turn.
    await setImmediate();
  }
  const last = following.length > limit ? following[limit - 1] : undefined;
  return { items, nextCursor: last ? cursorOf({ account: last.account, id: last.listed.id }) : null };
};

const isAfter = ({ account, id }: Position, after: Position | null): boolean =>
  after === null || account > after.account || (account === after.account && id > after.id);

const byId = (one: Listed<unknown>, other: Listed<unknown>): number => (one.id < other.id ? -1 : 1);

const cursorOf = ({ account, id }: Position): string =>
  Buffer.from(`${account}\n${id}`).toString('base64url');

const positionAt = (parameter: Parameter): Position | null | Mistake => {
  const [cursor, ...more] = valuesOf(parameter);
  if (cursor === undefined) return null;
  const [account = '', ...id] = Buffer.from(cursor, 'base64url').toString().split('\n');
  const position = { account, id: id.join('\n') };
  // Only what was made here comes out of the way back as it was.
  const isSound = more.length === 0 && cursorOf(position) === cursor;
  return isSound ? position : { mistake: 'cursor: expected the next_cursor of an answer, as it was' };
};
