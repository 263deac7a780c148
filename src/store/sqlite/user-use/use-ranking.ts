// Ranks the users of an account by their use in a range of days or hours, in slices that leave the event loop free in between.

import { LabelSums, type Metadata } from '../../../lib/label-parts.ts';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import type {
  RankedUse,
  RankingRequest,
  UsedBytes,
  UseRanking,
  UsersUse,
  UserUseStore,
} from '../../user-use-store.ts';
import type { Database } from '../file/database.ts';
import { walkSlices } from '../slices.ts';
import { createUseDays } from './use-periods.ts';
import { bytesBetween, NO_BYTES, sumOf } from './use-rows.ts';

/** Users whose sizes are read at once, and rows that a slice adds up: each is a few milliseconds of CPU. */
const SLICE_USERS = 1_000;
const SLICE_ROWS = 6_000;

interface Size {
  readonly mark: number;
  readonly days: number;
  readonly deletedUntil: number | null;
  readonly hasUser: number;
}

type Row = readonly [mark: number, residential: number, mobile: number];
type CutRow = [mark: number, day: number, hours: Uint8Array];
type RowsQuery = [days: string, accountId: number, after: number, last: number];

/** A slice of the users of an account. */
interface Marks {
  readonly accountId: number;
  readonly after: number;
  readonly last: number;
}

export const createUseRanking = (db: Database): Pick<UserUseStore, 'ranking'> => {
  const { sql } = db;
  const useDays = createUseDays(db);
  const sizesAfter = sql.prepare<[number, number], Size>(
    `SELECT id AS mark, days, deleted_until AS deletedUntil, user IS NOT NULL AS hasUser FROM user_use_mark
     WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${SLICE_USERS}`,
  );
  // The order of a CROSS JOIN is kept: it searches the users in each day, and does not read all rows of the days.
  const rowsOf = sql
    .prepare<RowsQuery, Row>(
      `SELECT mark, sum(residential), sum(mobile) FROM json_each(?) AS known
       CROSS JOIN user_use ON account_id = ? AND day = known.value AND mark > ? AND mark <= ? GROUP BY mark`,
    )
    .raw();
  const hoursOf = sql
    .prepare<RowsQuery, CutRow>(
      `SELECT mark, day, hours FROM json_each(?) AS known
       CROSS JOIN user_use ON account_id = ? AND day = known.value AND mark > ? AND mark <= ?
       WHERE hours IS NOT NULL`,
    )
    .raw();

  // Without details, or with those of a version or a configuration that did not read the metadata, it is null.
  const metadataOf = sql
    .prepare<[accountId: number, after: number, last: number], [mark: number, metadata: string | null]>(
      `SELECT mark.id, details ->> '$[6]' FROM user_use_mark AS mark
       CROSS JOIN proxy_user_details AS stored ON stored.user = mark.user
       WHERE account_id = ? AND mark.id > ? AND mark.id <= ?`,
    )
    .raw();

  const readMetadata = (accountId: number, after: number, last: number): ReadonlyMap<number, Metadata> =>
    new Map(
      metadataOf
        .all(accountId, after, last)
        .flatMap(([mark, text]) => (text === null ? [] : [[mark, JSON.parse(text)] as const])),
    );

  /** Returns the users of a slice, so many that reading their rows takes a few milliseconds. */
  const sliceAfter = (accountId: number, after: number, days: number): Size[] => {
    const sizes = sizesAfter.all(accountId, after);
    let rows = 0;
    const end = sizes.findIndex((size) => {
      rows += 1 + Math.min(size.days, days);
      return rows > SLICE_ROWS;
    });
    return end === -1 ? sizes : sizes.slice(0, end + 1);
  };

  /** Returns the use of the users of a slice on the days, without the hours that are cut off. */
  const readUse = (days: readonly number[], request: RankingRequest, marks: Marks): readonly Row[] => {
    const { from, to, hours: cut } = request;
    const query = [marks.accountId, marks.after, marks.last] as const;
    const isCut = (day: number): boolean => cut !== undefined && (day === from || day === to);
    const rows = rowsOf.all(JSON.stringify(days.filter((day) => !isCut(day))), ...query);
    if (!cut) return rows;
    const sums = new Map(rows.map(([mark, residential, mobile]) => [mark, { residential, mobile }]));
    for (const [mark, day, packed] of hoursOf.all(JSON.stringify(days.filter(isCut)), ...query)) {
      const [first, last] = [day === from ? cut.first : 0, day === to ? cut.last : Number.POSITIVE_INFINITY];
      sums.set(mark, sumOf(sums.get(mark) ?? NO_BYTES, bytesBetween(packed, first, last)));
    }
    return [...sums]
      .map(([mark, { residential, mobile }]) => [mark, residential, mobile] as const)
      .filter(([, residential, mobile]) => residential > 0 || mobile > 0);
  };

  return {
    ranking: async (account, request) => {
      const { from, to, types, limit, labels = [] } = request;
      const accountId = db.knownAccountId(account);
      const days = db.read(() => useDays.between(accountId, from, to)).map(({ day }) => day);
      const ranked = new Ranking(types, limit);
      const sums = labels.map((label) => new LabelSums(label, useOf(types)));
      await walkSlices(0, (before) =>
        db.read(() => {
          const slice = sliceAfter(accountId, before, days.length);
          const last = slice.at(-1)?.mark;
          if (last === undefined) return undefined;
          const unowned = new Set(slice.filter(({ hasUser }) => hasUser === 0).map(({ mark }) => mark));
          const metadata = sums.length > 0 ? readMetadata(accountId, before, last) : undefined;
          for (const row of readUse(days, request, { accountId, after: before, last })) {
            const [mark, residential, mobile] = row;
            if (unowned.has(mark)) continue;
            ranked.add(row);
            const bytes = { residential, mobile };
            const use = { users: Number(sizeOf(bytes, types) > 0), bytes };
            for (const each of sums) each.add(use, metadata?.get(mark));
          }
          ranked.deletedUsers += slice.filter(
            ({ deletedUntil }) => (deletedUntil ?? from - 1) >= from,
          ).length;
          return last;
        }),
      );
      return { ...ranked.result(), labels: sums.map((each) => each.result()) };
    },
  };
};

const sizeOf = (bytes: UsedBytes, types: RankingRequest['types']): number =>
  types.reduce((sum, type) => sum + bytes[type], 0);

/** How the use of some users is added up and compared. */
const useOf = (types: RankingRequest['types']) => ({
  none: { users: 0, bytes: NO_BYTES },
  sum: (one: UsersUse, other: UsersUse): UsersUse => ({
    users: one.users + other.users,
    bytes: sumOf(one.bytes, other.bytes),
  }),
  sizeOf: ({ bytes }: UsersUse) => sizeOf(bytes, types),
});

/** Keeps the largest users, without sorting all. */
class Ranking {
  deletedUsers = 0;
  readonly #types: RankingRequest['types'];
  readonly #limit: number;
  readonly #sum = { ...NO_BYTES };
  #users = 0;
  #first: RankedUse[] = [];
  /** A smaller user is not among the first. */
  #least = 0;

  constructor(types: RankingRequest['types'], limit: number) {
    this.#types = types;
    this.#limit = limit;
  }

  add([user, residential, mobile]: Row): void {
    const use = { user, bytes: { residential, mobile } };
    for (const type of METERED_TYPES) this.#sum[type] += use.bytes[type];
    const size = this.#sizeOf(use.bytes);
    if (size > 0) this.#users += 1;
    if (size === 0 || size < this.#least) return;
    this.#first.push(use);
    if (this.#first.length >= 4 * this.#limit + 1_000) this.#cut();
  }

  result(): Omit<UseRanking, 'labels'> {
    this.#cut();
    return { first: this.#first, users: this.#users, sum: this.#sum, deletedUsers: this.deletedUsers };
  }

  #cut(): void {
    this.#first.sort(
      (one, other) => this.#sizeOf(other.bytes) - this.#sizeOf(one.bytes) || one.user - other.user,
    );
    this.#first = this.#first.slice(0, this.#limit);
    if (this.#first.length === this.#limit) this.#least = this.#sizeOf(this.#first.at(-1)?.bytes ?? NO_BYTES);
  }

  #sizeOf(bytes: UsedBytes): number {
    return sizeOf(bytes, this.#types);
  }
}
