// Tests readPages: when a listing is complete or counted, and that it ends.

import { describe, expect, it } from 'vitest';
import { type ListingSummary, readPages } from '../../src/provider/pages.ts';
import { connect, type ReceivedRequest, startFakeProvider } from '../support/fake-provider.ts';

interface FakePage {
  readonly data: readonly unknown[];
  readonly total_count?: unknown;
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ thing_id: from + i }));

const decode = (item: unknown): number | null => {
  const { thing_id: id, broken } = item as { thing_id?: unknown; broken?: boolean };
  return typeof id === 'number' && !broken ? id : null;
};

const read = async (pageOf: (page: number) => FakePage) => {
  const answer = ({ query }: ReceivedRequest) => ({
    body: { ...pageOf(Number(query.page)), message: 'ok', new: 1 },
  });
  await using provider = await startFakeProvider(answer);
  await using client = connect(provider);
  const items: number[] = [];
  const skippedIds: string[] = [];
  let summary: ListingSummary | null = null;
  for await (const page of readPages(client, 'thing/search', {
    query: { kind: 'x' },
    idField: 'thing_id',
    decode,
  })) {
    expect(summary).toBeNull();
    items.push(...page.items);
    skippedIds.push(...page.skippedIds);
    summary = page.summary;
  }
  return { items, skippedIds, end: summary, queries: provider.requests.map(({ query }) => query) };
};

/** Returns a page of 100 items of the listing as it is at that request. */
const slice = (things: readonly unknown[], page: number, total = things.length): FakePage => ({
  data: things.slice((page - 1) * 100, page * 100),
  total_count: total,
});

describe('readPages', () => {
  it('reads until a page is empty when pages have no total, because a short page may not be the last', async () => {
    const {
      items,
      end: summary,
      queries,
    } = await read((page) => ({
      data: numbered(1, 120).slice((page - 1) * 50, page * 50),
    }));
    expect(items).toHaveLength(120);
    expect(queries).toHaveLength(4);
    expect(summary).toMatchObject({ distinctIds: 120, totalCount: -1, isComplete: true, skipped: 0 });
  });

  it('counts a total that is no number as skipped, and reads the items', async () => {
    const { items, end: summary } = await read((page) => ({
      data: page === 1 ? numbered(1, 3) : [],
      total_count: 3.5,
    }));
    expect(items).toEqual([1, 2, 3]);
    expect(summary).toMatchObject({ distinctIds: 3, isComplete: true, skipped: 2 });
  });

  it('skips items of a page that have the same id', async () => {
    const things = [...numbered(1, 3), { thing_id: 2, other: true }];
    const { items, skippedIds, end: summary } = await read((page) => slice(things, page));
    expect(items).toEqual([1, 3]);
    expect(skippedIds).toEqual(['2', '2']);
    expect(summary).toMatchObject({ distinctIds: 3, isComplete: false, skipped: 2 });
  });

  it('reads sorted pages of 100 one after another, no more than the total requires', async () => {
    const { items, end: summary, queries } = await read((page) => slice(numbered(1, 200), page));
    expect(items).toEqual(numbered(1, 200).map((thing) => thing.thing_id));
    expect(summary).toEqual({
      distinctIds: 200,
      totalCount: 200,
      isComplete: true,
      isCounted: true,
      skipped: 0,
    });
    const common = { kind: 'x', per_page: '100', sort_by: 'thing_id' };
    expect(queries).toEqual([
      { ...common, page: '1' },
      { ...common, page: '2' },
    ]);
  });

  it('is complete if the listing is empty', async () => {
    const { end: summary, queries } = await read((page) => slice([], page));
    expect(summary).toEqual({ distinctIds: 0, totalCount: 0, isComplete: true, isCounted: true, skipped: 0 });
    expect(queries).toHaveLength(1);
  });

  it('is incomplete if the total changed meanwhile, but counted if no more than the change is missing', async () => {
    const shrunk = await read((page) => slice(numbered(page === 1 ? 1 : 2, 150), page));
    expect(shrunk.end).toMatchObject({
      distinctIds: 149,
      totalCount: 149,
      isComplete: false,
      isCounted: true,
    });
    const grown = await read((page) => slice(numbered(page === 1 ? 1 : 0, 150), page));
    expect(grown.end).toMatchObject({
      distinctIds: 150,
      totalCount: 151,
      isComplete: false,
      isCounted: true,
    });
    const short = await read((page) =>
      slice(numbered(page === 1 ? 1 : 0, 150), page, page === 1 ? 155 : 156),
    );
    expect(short.end).toMatchObject({
      distinctIds: 150,
      totalCount: 156,
      isComplete: false,
      isCounted: false,
    });
  });

  it('is incomplete if rows moved between two pages although the total stayed the same', async () => {
    const moved = [...numbered(101, 150), ...numbered(1, 100)];
    const { items, end: summary } = await read((page) => slice(page === 1 ? numbered(1, 150) : moved, page));
    expect(items).not.toContain(101);
    expect(summary).toEqual({
      distinctIds: 100,
      totalCount: 150,
      isComplete: false,
      isCounted: false,
      skipped: 0,
    });
  });

  it('is incomplete if the pages end before the total', async () => {
    const { end: summary, queries } = await read((page) => slice(numbered(1, 150), page, 350));
    expect(summary).toEqual({
      distinctIds: 150,
      totalCount: 350,
      isComplete: false,
      isCounted: false,
      skipped: 0,
    });
    expect(queries).toHaveLength(3);
  });

  it.each([
    ['a short page', 150, 2],
    ['an empty page', 200, 3],
  ])('ends with %s if the provider does not count', async (_, count, pages) => {
    const { end: summary, queries } = await read((page) => slice(numbered(1, count), page, -1));
    expect(summary).toEqual({
      distinctIds: count,
      totalCount: -1,
      isComplete: true,
      isCounted: true,
      skipped: 0,
    });
    expect(queries).toHaveLength(pages);
  });

  it('ends as incomplete if the provider always answers with the same page', async () => {
    const { end: summary, queries } = await read(() => slice(numbered(1, 100), 1, -1));
    expect(summary).toEqual({
      distinctIds: 100,
      totalCount: -1,
      isComplete: false,
      isCounted: false,
      skipped: 0,
    });
    expect(queries).toHaveLength(2);
  });

  it('skips items that do not decode, and reports their ids', async () => {
    const things = [{ thing_id: 1 }, { thing_id: 2, broken: true }, { thing_id: 3 }];
    const { items, skippedIds, end: summary } = await read((page) => slice(things, page));
    expect(items).toEqual([1, 3]);
    expect(skippedIds).toEqual(['2']);
    expect(summary).toEqual({ distinctIds: 3, totalCount: 3, isComplete: true, isCounted: true, skipped: 1 });
  });

  it('is incomplete if the id of an item cannot be read', async () => {
    const { skippedIds, end: summary } = await read((page) => slice([{ thing_id: 1 }, {}], page));
    expect(skippedIds).toEqual([]);
    expect(summary).toEqual({
      distinctIds: 1,
      totalCount: 2,
      isComplete: false,
      isCounted: false,
      skipped: 1,
    });
  });

  it.each([
    ['without items', { total_count: 1 }],
    ['with an object for items', { data: {}, total_count: 1 }],
  ])('rejects an answer %s', async (_, envelope) => {
    await expect(read(() => envelope as FakePage)).rejects.toMatchObject({
      kind: 'bad_response',
      endpoint: 'thing/search',
    });
  });
});
