// Listings: a search read page by page, and whether it was read whole.

import { z } from 'zod';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './errors.ts';
import type { Query } from './request.ts';
import { noticingOdd } from './schema.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Items that were left out, or lack a value that was of another type than the documented one. */
  readonly skipped: number;
  /** Ids of items that were left out: they are not removed. */
  readonly skippedIds: readonly string[];
  /** Items on all pages, as this one gave it; -1 where the provider does not count. */
  readonly totalCount: number;
  /** On the last page alone. */
  readonly end: ListingEnd | null;
}

/** How far a listing has come: one that broke off goes on from here. */
export class ListingProgress {
  /** Ids of all items, also of those that did not decode. */
  readonly seen = new Set<string>();
  /** Pages that were read and taken by the caller. */
  pages = 0;
  /** Answers that came, also those of pages that were read before. */
  answers = 0;
  skipped = 0;
  #total: number | undefined;
  /** By how much the total changed on the way, up and down. */
  #moved = 0;

  /** One page back, as rows may have moved since: those sorted behind a removed one come earlier. */
  get nextPage(): number {
    return Math.max(1, this.pages);
  }

  observe(total: number, skipped: number): void {
    this.answers += 1;
    this.#moved += Math.abs(total - (this.#total ?? total));
    this.#total = total;
    this.skipped += skipped;
  }

  end(isShortPage: boolean): ListingEnd {
    const [distinct, totalCount] = [this.seen.size, this.#total ?? -1];
    const isWhole = totalCount === -1 ? isShortPage : distinct === totalCount;
    const isCounted = totalCount === -1 ? isShortPage : distinct + this.#moved >= totalCount;
    const complete = isWhole && this.#moved === 0;
    return { distinct, totalCount, complete, isCounted, skipped: this.skipped };
  }
}

export interface ListingEnd {
  /** Different ids, also of items that did not decode. */
  readonly distinct: number;
  /** As the last page gave it; -1 where the provider does not count. */
  readonly totalCount: number;
  /**
   * The different ids are as many as a total that did not change from page to page; where the provider does not
   * count, the pages came to their end. Otherwise rows moved while they were read, or had no id to be counted by,
   * and some may have been missed.
   */
  readonly complete: boolean;
  /** The distinct ids fall short of the total by no more than it changed meanwhile: such rows may have moved to read pages. */
  readonly isCounted: boolean;
  readonly skipped: number;
}

export interface Listing<T> {
  readonly query?: Query | undefined;
  /** The provider's name of the items' unique field, which they are sorted by. */
  readonly idField: string;
  /** Null for an item that does not decode. */
  readonly decode: (item: unknown) => T | null;
  readonly signal?: AbortSignal | undefined;
  /** Of a listing that goes on; a new one begins at the first page. */
  readonly progress?: ListingProgress | undefined;
}

/** What the listings of single resources take. */
export interface ListingOptions {
  /** Of the provider's datetimes. */
  readonly timeZone: string;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ListingProgress | undefined;
}

const PER_PAGE = 100;
/** Ten million items: beyond that the provider is making pages up. */
const MAX_PAGES = 100_000;

const envelope = z.object({ data: z.array(z.unknown()), total_count: z.int().min(-1) });

/**
 * Reads one page after another, from where `progress` has come. Throws ProviderError; items may come twice when rows move,
 * the later one newer.
 */
export async function* readPages<T>(
  client: ProviderClient,
  endpoint: string,
  { query, idField, decode, signal, progress = new ListingProgress() }: Listing<T>,
): AsyncGenerator<Page<T>, void, undefined> {
  for (let page = progress.nextPage; page <= MAX_PAGES; page += 1) {
    const pageQuery = { ...query, page, per_page: PER_PAGE, sort_by: idField };
    const answer = await client.get(endpoint, { query: pageQuery, schema: envelope, signal });
    const { data, total_count: totalCount } = answer;
    const known = progress.seen.size;
    const read = decodeItems(data, idField, decode, progress.seen);
    const isNew = page > progress.pages;
    const isStuck = isNew && progress.seen.size === known;
    const isEnd = isStuck || isLast(page, data.length, totalCount);
    progress.observe(totalCount, isNew ? read.skipped : 0);
    yield { ...read, totalCount, end: isEnd ? progress.end(data.length < PER_PAGE) : null };
    if (isEnd) return;
    progress.pages = Math.max(progress.pages, page);
  }
  throw new ProviderError('bad_response', endpoint, `listing has no end after ${MAX_PAGES} pages`);
}

/** A page that brings nothing new is last too (`isStuck` above): the provider may ignore the page's number. */
const isLast = (page: number, length: number, totalCount: number): boolean =>
  totalCount === -1 ? length < PER_PAGE : length === 0 || page * PER_PAGE >= totalCount;

const decodeItems = <T>(
  data: readonly unknown[],
  idField: string,
  decode: (item: unknown) => T | null,
  seen: Set<string>,
): Pick<Page<T>, 'items' | 'skipped' | 'skippedIds'> => {
  const items: T[] = [];
  const skippedIds: string[] = [];
  let skipped = 0;
  for (const raw of data) {
    const id = idOf(raw, idField);
    if (id !== undefined) seen.add(id);
    const { decoded: item, isOdd } = noticingOdd(() => decode(raw));
    if (item === null || isOdd) skipped += 1;
    if (item !== null) items.push(item);
    else if (id !== undefined) skippedIds.push(id);
  }
  return { items, skipped, skippedIds };
};

const idOf = (item: unknown, idField: string): string | undefined => {
  const id = (item as Partial<Record<string, unknown>> | null)?.[idField];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};
