// Tests that renderings that repeat blocks and items show the same text as those that write all of them.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gauge, type SampleSink } from '../../src/lib/family.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { textOf } from './support.ts';

const FAMILIES = ['a', 'b', 'c'].map((name) => gauge(`proxywatch_${name}`, 'A family.', ['id']));
const PART = { collector: 'proxy_users', account: 'main' };

/** The value of each family, for one item; null if it has none. */
type Item = readonly (number | null)[];

const item: fc.Arbitrary<Item> = fc.tuple(
  ...FAMILIES.map(() => fc.option(fc.oneof(fc.nat(9), fc.constantFrom(2 ** 40, 1 / 3)))),
);
const block = fc.array(item, { maxLength: 6 });
/** Changes one block: rewrites it, or some of its items. */
interface Change {
  readonly place: number;
  readonly rewritten: Item[] | null;
  readonly items: readonly (readonly [number, Item])[];
}
const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(20),
  rewritten: fc.option(block),
  items: fc.array(fc.tuple(fc.nat(20), item), { maxLength: 2 }),
});
/** What a rendering changes, and whether it fails, or drops the part before. */
const rendering = fc.record({
  changes: fc.array(change, { maxLength: 2 }),
  isFailing: fc.boolean(),
  isDropped: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});

const writeItem = (sink: SampleSink, id: string, values: Item): void => {
  for (const [index, family] of FAMILIES.entries()) sink.sample(family, { id }, values[index]);
};

class Rig {
  readonly exposition = new Exposition(FAMILIES);
  blocks: Item[][];
  /** The list of the last rendering that wrote all. */
  list: object | undefined;

  constructor(blocks: Item[][]) {
    this.blocks = blocks;
  }

  /** Renders the blocks. It writes only the items in `changed`, by block; all of them if it has no set. */
  async render(changed: readonly (ReadonlySet<number> | undefined)[], isFailing: boolean): Promise<void> {
    const list = {};
    await this.exposition.render(PART, async (sink) => {
      const { blocks } = sink;
      if (!blocks) throw new Error('the sink has no blocks');
      const canRepeat = blocks.begin(list, this.list);
      this.list = undefined;
      for (const [place, items] of this.blocks.entries()) {
        const changedItems = canRepeat ? changed[place] : undefined;
        for (const [index, values] of items.entries()) {
          if (changedItems && !changedItems.has(index)) continue;
          blocks.beginItem(index);
          writeItem(sink, `${place}-${index}`, values);
          blocks.endItem();
        }
        blocks.endBlock(items.length);
        await sink.drain();
        if (isFailing) throw new Error('the store cannot be read');
      }
      blocks.close();
      writeItem(sink, 'last', [1, null, this.blocks.length]);
      this.list = list;
    });
  }

  async fullText(): Promise<string> {
    const exposition = new Exposition(FAMILIES);
    await exposition.render(PART, async (sink) => {
      for (const [place, items] of this.blocks.entries())
        for (const [index, values] of items.entries()) writeItem(sink, `${place}-${index}`, values);
      writeItem(sink, 'last', [1, null, this.blocks.length]);
    });
    return await textOf(exposition);
  }

  /** Changes the items, and returns those that changed, by block. */
  change(changes: readonly Change[]): (ReadonlySet<number> | undefined)[] {
    const changed: (Set<number> | undefined)[] = this.blocks.map(() => new Set());
    for (const { place, rewritten, items } of changes) {
      const at = place % this.blocks.length;
      if (rewritten) [this.blocks[at], changed[at]] = [rewritten, undefined];
      for (const [index, values] of items) {
        const { length } = this.blocks[at] ?? [];
        if (length === 0) continue;
        this.blocks[at] = (this.blocks[at] ?? []).with(index % length, values);
        changed[at]?.add(index % length);
      }
    }
    return changed;
  }
}

it('shows the same text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { minLength: 1, maxLength: 4 }),
      fc.array(rendering),
      async (first, steps) => {
        const rig = new Rig(first);
        await rig.render([], false);
        for (const { changes, isFailing, isDropped } of steps) {
          if (isDropped) rig.exposition.drop(PART);
          const changed = rig.change(changes);
          if (isFailing) await expect(rig.render(changed, true)).rejects.toThrow('cannot be read');
          await rig.render(changed, false);
          expect(await textOf(rig.exposition)).toBe(await rig.fullText());
        }
      },
    ),
  );
});

it('repeats nothing of a rendering that another one has replaced', async () => {
  const rig = new Rig([[[1, 2, 3]]]);
  await rig.render([], false);
  const own = rig.list;
  await rig.exposition.render(PART, async (sink) => writeItem(sink, 'other', [1, 1, 1]));
  await rig.exposition.render(PART, async ({ blocks }) => {
    expect(blocks?.begin({}, own)).toBe(false);
    blocks?.close();
  });
});
