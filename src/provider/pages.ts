// Reads listings page by page, determines whether they are complete, and compares the items with the filter again.

import { SeenIds } from '../lib/sorted.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './errors.ts';
import { NOT_COUNTED, PER_PAGE, pageRequester } from './page-request.ts';
import type { Query, SignalOption } from './request.ts';
import { invalidValues } from './schema.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Items that were left out, or lack a value because its type differed from the documented one; and a total that is no number. */
  readonly skipped: number;
  /** Ids of items that were left out. They do not count as removed. */
  readonly skippedIds: readonly string[];
  /** Items on all pages, as this page gives it; -1 if the provider does not count, or gives no number. */
  readonly totalCount: number;
  /** Null on all pages but the last. */
  readonly summary: ListingSummary | null;
}

export type Pages<T> = AsyncGenerator<Page<T>, void, undefined>;

/** How far a listing has been read, so that an interrupted listing can continue. */
export class ListingProgress {
  /** Ids of all items, including those that did not decode. */
  readonly seenIds = new SeenIds();
  /** Pages that were read. The last one of them may not have been processed by the caller. */
  pages = 0;
  /** Answers received, including those of pages that were read before. */
  answers = 0;
  skipped = 0;
  #total: number | undefined;
  /** By how much the total changed from page to page, up and down. */
  #totalDrift = 0;

  /** Goes one page back, because rows may have moved since: those sorted behind a removed row come earlier. */
  get nextPage(): number {
    return Math.max(1, this.pages);
  }

  recordPage(total: number, skipped: number): void {
    this.answers += 1;
    this.#totalDrift += Math.abs(total - (this.#total ?? total));
    this.#total = total;
    this.skipped += skipped;
  }

  summarize(isShortPage: boolean): ListingSummary {
    const [distinctIds, totalCount] = [this.seenIds.size, this.#total ?? NOT_COUNTED];
    const hasAllRows = totalCount === NOT_COUNTED ? isShortPage : distinctIds === totalCount;
    const isCounted = totalCount === NOT_COUNTED ? isShortPage : distinctIds + this.#totalDrift >= totalCount;
    const isComplete = hasAllRows && this.#totalDrift === 0;
    return { distinctIds, totalCount, isComplete, isCounted, skipped: this.skipped };
  }
}

export interface ListingSummary {
  /** Number of different ids, including those of items that did not decode. */
  readonly distinctIds: number;
  /** As the last page gives it; -1 if the provider does not count. */
  readonly totalCount: number;
  /**
   * Whether the number of ids equals the total, and the total did not change from page to page. If the provider does
   * not count: whether the last page was reached. Otherwise rows moved during the listing, or had no id to be counted
   * by, and some may have been missed.
   */
  readonly isComplete: boolean;
  /** Whether no more ids are missing than the total changed meanwhile: rows may have moved to pages already read. */
  readonly isCounted: boolean;
  readonly skipped: number;
}

interface Listing<T> {
  readonly query?: Query | undefined;
  /** The provider's name of the items' unique field, by which they are sorted. */
  readonly idField: string;
  /** Returns null for an item that does not decode. */
  readonly decode: (item: unknown) => T | null;
  readonly signal?: AbortSignal | undefined;
  /** The progress of an interrupted listing. Default: the listing begins at the first page. */
  readonly progress?: ListingProgress | undefined;
}

/** Options of the listings of single resources. */
export interface ListingOptions {
  /** Zone of the provider's datetimes. */
  readonly timeZone: string;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ListingProgress | undefined;
}

/** Ten million items. A longer listing is treated as endless. */
const MAX_PAGES = 100_000;

/** Reads pages, from where `progress` ends. An item may come twice if rows move; the later is newer. Throws ProviderError. */
export async function* readPages<T>(
  client: Pick<ProviderClient, 'get'>,
  endpoint: string,
  { query, idField, decode, signal, progress = new ListingProgress() }: Listing<T>,
): Pages<T> {
  const request = pageRequester(client, endpoint, { ...query, sort_by: idField }, signal);
  for (let page = progress.nextPage; page <= MAX_PAGES; page += 1) {
    const answer = await request(page);
    const { data, total_count: total } = answer.value;
    const totalCount = total ?? NOT_COUNTED;
    const knownBefore = progress.seenIds.size;
    const decoded = decodeItems(data, idField, decode, progress.seenIds);
    const skipped = decoded.skipped + Number(answer.hasInvalidValue);
    const isNew = page > progress.pages;
    const isStuck = isNew && progress.seenIds.size === knownBefore;
    const isLastPage = isStuck || isAtTotal(page, data.length, total);
    progress.recordPage(totalCount, isNew ? skipped : 0);
    // Before the caller gets it: a caller that stops, or cannot store it, goes on with this page.
    if (!isLastPage) progress.pages = Math.max(progress.pages, page);
    yield {
      ...decoded,
      skipped,
      totalCount,
      summary: isLastPage ? progress.summarize(data.length < PER_PAGE) : null,
    };
    if (isLastPage) return;
  }
  throw new ProviderError(
    'bad_response',
    endpoint,
    `the listing has more than ${MAX_PAGES} pages, so it may have no end`,
  );
}

/**
 * A page without new ids also ends the listing (`isStuck` above), because the provider may ignore the page number.
 * Without a total, only such a page ends it: the provider differs from its documentation, and may send short pages.
 */
const isAtTotal = (page: number, length: number, total: number | null): boolean => {
  if (total === null) return length === 0;
  return total === NOT_COUNTED ? length < PER_PAGE : length === 0 || page * PER_PAGE >= total;
};

const decodeItems = <T>(
  data: readonly unknown[],
  idField: string,
  decode: (item: unknown) => T | null,
  seen: SeenIds,
): Pick<Page<T>, 'items' | 'skipped' | 'skippedIds'> => {
  const items: T[] = [];
  const skippedIds: string[] = [];
  let skipped = 0;
  const ids = data.map((raw) => idOf(raw, idField));
  const repeated = repeatedIn(ids);
  for (const [index, raw] of data.entries()) {
    const id = ids[index];
    if (id !== undefined) seen.add(id);
    const invalidBefore = invalidValues();
    const item = id !== undefined && repeated.has(id) ? null : decode(raw);
    if (item === null || invalidValues() > invalidBefore) skipped += 1;
    if (item !== null) items.push(item);
    else if (id !== undefined) skippedIds.push(id);
  }
  return { items, skipped, skippedIds };
};

/** Returns the ids that several items of a page have. It is then unknown which item the id belongs to. */
const repeatedIn = (ids: readonly (string | undefined)[]): ReadonlySet<string | undefined> => {
  const [seen, repeated] = [new Set<string | undefined>(), new Set<string | undefined>()];
  for (const id of ids) (seen.has(id) ? repeated : seen).add(id);
  return repeated;
};

const idOf = (item: unknown, idField: string): string | undefined => {
  const id = (item as Partial<Record<string, unknown>> | null)?.[idField];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

export interface FilterOptions extends SignalOption {
  /**
   * Fields of the provider with the required values, such as `{ country_id: 'de', min_asn_node_count: 10 }`; all must
   * match. The names come from the provider's public documentation; the API's specification does not have them.
   */
  readonly filter?: Query | undefined;
}

/**
 * Reads the pages of a search and keeps the items that match the filter. A provider that does not know the filter
 * refuses the search, or answers with everything. A page's `summary` is that of the unfiltered answer. Throws
 * ProviderError.
 */
export async function* readMatching<T>(
  client: ProviderClient,
  endpoint: string,
  { filter = {}, decode, ...listing }: Omit<Listing<T>, 'query'> & FilterOptions,
): Pages<T> {
  const decodeAndMatch = (raw: unknown) => {
    const item = decode(raw);
    return item && { item, isMatch: matches(raw, filter) };
  };
  const pages = readPages(client, endpoint, { ...listing, query: filter, decode: decodeAndMatch });
  for await (const page of pages)
    yield { ...page, items: page.items.filter(({ isMatch }) => isMatch).map(({ item }) => item) };
}

/** A field that the item does not carry cannot be compared here, so the provider's filtering is trusted. */
const matches = (item: unknown, filter: Query): boolean =>
  Object.entries(filter).every(([field, wanted]) => {
    const value = (item as Partial<Record<string, unknown>>)[field];
    return wanted === undefined || value === undefined || value === null || String(value) === String(wanted);
  });
