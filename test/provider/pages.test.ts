// Listings: when they are complete, and that they end.

import { describe, expect, it } from 'vitest';
import { type ListingEnd, readPages } from '../../src/provider/pages.ts';
import { connect, type SeenRequest, startFakeProvider } from '../support/fake-provider.ts';

interface FakePage {
  readonly data: readonly unknown[];
  readonly total_count: number;
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ thing_id: from + i }));

const decode = (item: unknown): number | null => {
  const { thing_id: id, broken } = item as { thing_id?: unknown; broken?: boolean };
  return typeof id === 'number' && !broken ? id : null;
};

const read = async (pageOf: (page: number) => FakePage) => {
  const answer = ({ query }: SeenRequest) => ({
    body: { ...pageOf(Number(query.page)), message: 'ok', new: 1 },
  });
  await using provider = await startFakeProvider(answer);
  await using client = connect(provider);
  const items: number[] = [];
  const skippedIds: string[] = [];
  let end: ListingEnd | null = null;
  for await (const page of readPages(client, 'thing/search', {
    query: { kind: 'x' },
    idField: 'thing_id',
    decode,
  })) {
    expect(end).toBeNull();
    items.push(...page.items);
    skippedIds.push(...page.skippedIds);
    end = page.end;
  }
  return { items, skippedIds, end, queries: provider.requests.map(({ query }) => query) };
};

/** Pages of 100 out of what the listing holds when each page is asked for. */
const slice = (things: readonly unknown[], page: number, total = things.length): FakePage => ({
  data: things.slice((page - 1) * 100, page * 100),
  total_count: total,
});

describe('readPages', () => {
  it('reads sorted pages of 100 one after another, no more than the total needs', async () => {
    const { items, end, queries } = await read((page) => slice(numbered(1, 200), page));
    expect(items).toEqual(numbered(1, 200).map((thing) => thing.thing_id));
    expect(end).toEqual({ distinct: 200, totalCount: 200, complete: true, isCounted: true, skipped: 0 });
    const common = { kind: 'x', per_page: '100', sort_by: 'thing_id' };
    expect(queries).toEqual([
      { ...common, page: '1' },
      { ...common, page: '2' },
    ]);
  });

  it('is complete when there is nothing', async () => {
    const { end, queries } = await read((page) => slice([], page));
    expect(end).toEqual({ distinct: 0, totalCount: 0, complete: true, isCounted: true, skipped: 0 });
    expect(queries).toHaveLength(1);
  });

  it('is incomplete when the total changed on the way, and counts when it lacks no more than that', async () => {
    const shrunk = await read((page) => slice(numbered(page === 1 ? 1 : 2, 150), page));
    expect(shrunk.end).toMatchObject({ distinct: 149, totalCount: 149, complete: false, isCounted: true });
    const grown = await read((page) => slice(numbered(page === 1 ? 1 : 0, 150), page));
    expect(grown.end).toMatchObject({ distinct: 150, totalCount: 151, complete: false, isCounted: true });
    const short = await read((page) =>
      slice(numbered(page === 1 ? 1 : 0, 150), page, page === 1 ? 155 : 156),
    );
    expect(short.end).toMatchObject({ distinct: 150, totalCount: 156, complete: false, isCounted: false });
  });

  it('is incomplete when rows moved between two pages, though the total stayed', async () => {
    const moved = [...numbered(101, 150), ...numbered(1, 100)];
    const { items, end } = await read((page) => slice(page === 1 ? numbered(1, 150) : moved, page));
    expect(items).not.toContain(101);
    expect(end).toEqual({ distinct: 100, totalCount: 150, complete: false, isCounted: false, skipped: 0 });
  });

  it('is incomplete when pages end before the total', async () => {
    const { end, queries } = await read((page) => slice(numbered(1, 150), page, 350));
    expect(end).toEqual({ distinct: 150, totalCount: 350, complete: false, isCounted: false, skipped: 0 });
    expect(queries).toHaveLength(3);
  });

  it.each([
    ['a short page', 150, 2],
    ['an empty page', 200, 3],
  ])('ends with %s where the provider does not count', async (_, count, pages) => {
    const { end, queries } = await read((page) => slice(numbered(1, count), page, -1));
    expect(end).toEqual({ distinct: count, totalCount: -1, complete: true, isCounted: true, skipped: 0 });
    expect(queries).toHaveLength(pages);
  });

  it('ends, incomplete, when the provider answers the same page for ever', async () => {
    const { end, queries } = await read(() => slice(numbered(1, 100), 1, -1));
    expect(end).toEqual({ distinct: 100, totalCount: -1, complete: false, isCounted: false, skipped: 0 });
    expect(queries).toHaveLength(2);
  });

  it('skips what does not decode, and tells whose ids are there all the same', async () => {
    const things = [{ thing_id: 1 }, { thing_id: 2, broken: true }, { thing_id: 3 }];
    const { items, skippedIds, end } = await read((page) => slice(things, page));
    expect(items).toEqual([1, 3]);
    expect(skippedIds).toEqual(['2']);
    expect(end).toEqual({ distinct: 3, totalCount: 3, complete: true, isCounted: true, skipped: 1 });
  });

  it('is incomplete with an item whose id cannot be read: nobody knows who it was', async () => {
    const { skippedIds, end } = await read((page) => slice([{ thing_id: 1 }, {}], page));
    expect(skippedIds).toEqual([]);
    expect(end).toEqual({ distinct: 1, totalCount: 2, complete: false, isCounted: false, skipped: 1 });
  });

  it.each([
    ['without items', { total_count: 1 }],
    ['with an object for items', { data: {}, total_count: 1 }],
    ['without a total', { data: [] }],
    ['with half a total', { data: [], total_count: 0.5 }],
  ])('does not take an envelope %s', async (_, envelope) => {
    await expect(read(() => envelope as FakePage)).rejects.toMatchObject({
      kind: 'bad_response',
      endpoint: 'thing/search',
    });
  });
});
