// Divides the users of an account into blocks by id, so that a rendering writes only users that changed.

import type { SampleBlocks, SampleSink } from '../../lib/family.ts';
import { insertionIndex } from '../../lib/sorted.ts';
import type { Listing } from '../../store/listing.ts';
import type { StoredUser } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { KnownUsers } from './known-users.ts';
import type { ProxyUserOptions } from './options.ts';
import { forecastTime, quotaRuleOf } from './quota-status.ts';
import { userPages } from './user-pages.ts';
import type { UserKind, UserWriter } from './user-writer.ts';

/** With more users, a changed user costs more. With fewer, the compressed text takes more bytes. */
const BLOCK_USERS = 500;

interface BlockList {
  /** What all series of users depend on besides their rows. */
  readonly basis: string;
  readonly blocks: UserBlock[];
}

interface Rendering {
  readonly context: ReadContext<ProxyUserOptions>;
  readonly writer: UserWriter;
  readonly sink: SampleSink;
  readonly blocks: SampleBlocks;
}

/** Whether the series of a user depend on no other user, apart from the cap. */
export const canRepeat = ({ select, labels_from_metadata }: ProxyUserOptions): boolean =>
  select.top === 0 && labels_from_metadata.length === 0;

export class UserBlocks {
  readonly #known: KnownUsers;
  readonly #size: number;
  /** The blocks of the newest rendering that began; undefined until it ends, and if it fails. */
  #last: BlockList | undefined;
  #newest: BlockList | undefined;

  constructor(known: KnownUsers, size = BLOCK_USERS) {
    this.#known = known;
    this.#size = size;
  }

  /** Writes all users. Those that would be the same as in the last rendering are repeated. */
  async write(rendering: Rendering, listing: Listing): Promise<void> {
    const { context, blocks } = rendering;
    const before = this.#last;
    const list: BlockList = { basis: basisOf(context, listing), blocks: [] };
    [this.#last, this.#newest] = [undefined, list];
    const changes = this.#known.takeChanges();
    const isSame = before?.basis === list.basis && before.blocks.length > 0;
    const byBlock = isSame && changes ? this.#byBlock(before.blocks, changes) : undefined;
    if (blocks.begin(list, byBlock && before) && before && byBlock)
      await this.#update(rendering, list, before.blocks, byBlock);
    else await this.#writeAll(rendering, list);
    blocks.close();
    // Blocks that have become large are formed again.
    if (this.#newest === list && list.blocks.every(({ ids }) => ids.length <= 2 * this.#size))
      this.#last = list;
  }

  async #writeAll({ context, sink, ...rendering }: Rendering, list: BlockList): Promise<void> {
    let block = new UserBlock(this.#known);
    const endBlock = (): void => {
      list.blocks.push(block);
      rendering.blocks.endBlock(block.ids.length);
      block = new UserBlock(this.#known);
    };
    for await (const page of userPages(context, () => sink.drain())) {
      block.write(page, rendering);
      if (block.ids.length >= this.#size) endBlock();
    }
    if (block.ids.length > 0) endBlock();
  }

  async #update(
    { context, sink, ...output }: Rendering,
    list: BlockList,
    before: readonly UserBlock[],
    byBlock: ReadonlyMap<number, readonly string[]>,
  ): Promise<void> {
    let after = '';
    for (const [place, old] of before.entries()) {
      const ids = byBlock.get(place) ?? [];
      const isRepeated = old.canRepeat(ids, output.writer);
      const changed =
        isRepeated && ids.length > 0 ? await context.store.users.findAll(context.account.name, ids) : [];
      const block = new UserBlock(this.#known, old.end);
      if (isRepeated && changed.length === ids.length) block.repeat(old, changed, output);
      else {
        const until = place === before.length - 1 ? undefined : old.end;
        for await (const page of userPages(context, () => sink.drain(), after, until))
          block.write(page, output);
      }
      list.blocks.push(block);
      output.blocks.endBlock(block.ids.length);
      after = old.end;
      if (ids.length > 0 || !isRepeated) await sink.drain();
    }
  }

  /** Returns the changed ids by the place of their block; undefined if the blocks have to be formed again. */
  #byBlock(
    blocks: readonly UserBlock[],
    changes: ReadonlySet<string>,
  ): ReadonlyMap<number, readonly string[]> | undefined {
    const ends = blocks.map(({ end }) => end);
    const byBlock = Map.groupBy(changes, (id) => Math.min(insertionIndex(id, ends), blocks.length - 1));
    // SQLite orders these characters differently.
    const isOrdered = ![...changes].some((id) => /[\ud800-\uffff]/.test(id));
    return isOrdered && [...byBlock.values()].every((ids) => ids.length <= this.#size) ? byBlock : undefined;
  }
}

type Output = Pick<Rendering, 'writer' | 'blocks'>;

/** The users of a block, in the order of their ids. */
class UserBlock {
  readonly #known: KnownUsers;
  readonly #end: string | undefined;
  #ids: string[] = [];
  #kinds: UserKind[] = [];
  /** Whether a row changes only with an entry in the changes, and the same row gives the same series. */
  #isSettled = true;

  /** `end` is the greatest id that the block can have. By default, it is that of its last user. */
  constructor(known: KnownUsers, end?: string) {
    this.#known = known;
    this.#end = end;
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  get end(): string {
    return this.#end ?? this.#ids.at(-1) ?? '';
  }

  write(users: readonly StoredUser[], output: Output): void {
    for (const user of users) {
      this.#kinds.push(this.#write(user, this.#ids.length, output));
      this.#ids.push(user.id);
    }
  }

  /** Whether the block can be repeated, apart from these users. Users that the cap cuts depend on those before the block. */
  canRepeat(changedIds: readonly string[], { room }: UserWriter): boolean {
    return (
      this.#isSettled &&
      this.#ids.length <= room &&
      !this.#kinds.some(({ isDropped }) => isDropped) &&
      changedIds.every((id) => this.#known.isKnown(id) && this.#ids[insertionIndex(id, this.#ids)] === id)
    );
  }

  /** Repeats `before`, apart from these users of it. */
  repeat(before: UserBlock, changed: readonly StoredUser[], output: Output): void {
    const byId = new Map(changed.map((user) => [user.id, user]));
    this.#ids = before.#ids;
    this.#kinds = byId.size === 0 ? before.#kinds : [...before.#kinds];
    for (const [place, kind] of before.#kinds.entries()) {
      const user = byId.size === 0 ? undefined : byId.get(this.#ids[place] ?? '');
      if (user) this.#kinds[place] = this.#write(user, place, output);
      else output.writer.count(kind);
    }
  }

  #write(user: StoredUser, place: number, { writer, blocks }: Output): UserKind {
    blocks.beginItem(place);
    const { kind, isHeld } = writer.write(user);
    blocks.endItem();
    this.#isSettled &&= !isHeld && this.#known.isKnown(user.id);
    return kind;
  }
}

/** The statuses of quotas depend on the settings and the hour, and maintenance can change any row. */
const basisOf = (context: ReadContext<ProxyUserOptions>, { countedAt }: Listing): string =>
  JSON.stringify([
    ...[quotaRuleOf(context), countedAt === null ? null : forecastTime(countedAt)],
    context.store.revision([]),
  ]);
