// Tests that a daemon that recognizes unchanged users stores and shows the same as one that compares every user with its row.

import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { KnownUsers } from '../../../src/collectors/proxy-users/known-users.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { type Reply, startFakeProvider } from '../../support/fake-provider.ts';
import { Harness } from '../../support/harness.ts';
import { type Row, START, userRow } from '../stub-account.ts';

afterEach(() => vi.restoreAllMocks());

const TABLES = ['proxy_user', 'proxy_user_details', 'user_usage', 'user_use_mark', 'listing', 'run'];

/** Changes the rows of the provider, or how it writes them. */
type Step = (world: World) => void;

class World {
  rows: Row[];
  /** The text of a page. */
  write: (page: Row) => string = (page) => JSON.stringify(page);

  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, index) =>
      userRow(`user-${String(index).padStart(3, '0')}`),
    );
  }

  change(index: number, change: (row: Row) => Row): void {
    const at = index % Math.max(1, this.rows.length);
    this.rows = this.rows.map((row, n) => (n === at ? change(row) : row));
  }

  /** Writes the text of each page of the listing, as the provider answers it in one poll. */
  pages(): string[] {
    const count = Math.ceil(this.rows.length / 100) + 1;
    return Array.from({ length: count }, (_, page) => {
      const data = this.rows.slice(100 * page, 100 * (page + 1));
      return this.write({ data, page: page + 1, item_count: data.length, total_count: this.rows.length });
    });
  }
}

const place = fc.nat(1_000);
const field = fc.constantFrom(
  ...['proxy_user_residential_bytes_used', 'proxy_user_residential_bytes_limit'],
  ...['proxy_user_mobile_bytes_used', 'proxy_user_access_type', 'proxy_user_is_deleted', 'proxy_user_id'],
  ...['ip_address_authentications', 'proxy_user_last_update_datetime', 'proxy_user_new_field', 'customer_id'],
);
const value = fc.oneof(
  fc.constantFrom<unknown>(0, 10, 400, 1_000, null, undefined, 'all', true, -1, 1.5, [], ['192.0.2.1']),
  fc.constantFrom<unknown>('2026-07-01 10:00:00', 'user-001', { proxy_user_id: 'user-000' }, '"}]', 'ü\\"'),
);

const setField = fc.tuple(place, field, value).map(
  ([index, name, given]): Step =>
    (world) =>
      world.change(index, (row) => ({ ...row, [name]: given })),
);
const use = fc.tuple(place, fc.constantFrom(0, 100, 250, 400, 4_000)).map(
  ([index, bytes]): Step =>
    (world) =>
      world.change(index, (row) => ({ ...row, proxy_user_residential_bytes_used: bytes })),
);
const reorder = place.map(
  (index): Step =>
    (world) =>
      world.change(index, (row) => Object.fromEntries(Object.entries(row).reverse())),
);
const nest = place.map(
  (index): Step =>
    (world) =>
      world.change(index, (row) => ({ metadata: { proxy_user_id: 'user-000', list: [{ a: 1 }] }, ...row })),
);
const remove = place.map(
  (index): Step =>
    (world) => {
      world.rows = world.rows.filter((_, n) => n !== index % Math.max(1, world.rows.length));
    },
);
const changeKeys = fc.constantFrom(4711, 4712).map(
  (customer_id): Step =>
    (world) => {
      world.rows = world.rows.map((row) => ({ ...row, customer_id }));
    },
);
const add = fc.constantFrom('user-000', 'user-002', 'user-0005', 'zoë').map(
  (id): Step =>
    (world) => {
      world.rows = [...world.rows, userRow(id)].toSorted((a, b) =>
        String(a.proxy_user_id) < String(b.proxy_user_id) ? -1 : 1,
      );
    },
);
const repeat = place.map(
  (index): Step =>
    (world) => {
      world.rows = world.rows.flatMap((row, n) => (n === index % world.rows.length ? [row, row] : [row]));
    },
);
const write = fc
  .constantFrom<World['write']>(
    (page) => JSON.stringify(page),
    (page) => JSON.stringify(page, null, 2),
    (page) => JSON.stringify(page).slice(0, -7),
    (page) => JSON.stringify({ ...page, total_count: 'many' }),
    (page) => JSON.stringify({ ...page, total_count: -1 }),
    (page) => JSON.stringify({ errors: [{ proxy_user_id: 'user-000' }], ...page }),
    ({ data, ...page }) => JSON.stringify({ ...page, data: [7, null, ...(data as Row[])] }),
    ({ data }) => `{"data":${JSON.stringify(data).replace(/^\[(?=\{)/, '[1')},"total_count":1}`,
    ({ data }) => `{"data":${JSON.stringify(data)},"data":[7],"total_count":1}`,
    ({ data }) => `{"data":[],"data":${JSON.stringify(data)},"total_count":${(data as Row[]).length}}`,
  )
  .map(
    (text): Step =>
      (world) => {
        world.write = text;
      },
  );
const step = fc.oneof(
  { arbitrary: use, weight: 3 },
  { arbitrary: setField, weight: 3 },
  ...[reorder, nest, remove, add, repeat, write, changeKeys],
);
const polls = fc.array(fc.array(step, { maxLength: 3 }), { minLength: 2, maxLength: 7 });
const size = fc.oneof({ arbitrary: fc.nat(4), weight: 4 }, { arbitrary: fc.constant(130), weight: 1 });

/** Returns the texts of all polls: the first is that of the start. */
const textsOf = (count: number, steps: readonly (readonly Step[])[]): string[][] => {
  const world = new World(count);
  return [
    world.pages(),
    ...steps.map((changes) => {
      for (const change of changes) change(world);
      return world.pages();
    }),
  ];
};

interface State {
  /** The rows of `TABLES`. */
  readonly stored: readonly (readonly unknown[])[];
  /** Lines of the exposition. */
  readonly shown: readonly string[];
}

/** Returns all that a daemon stores and shows after each poll of these texts. */
const playedWith = async (texts: readonly (readonly string[])[]): Promise<State[]> => {
  let pages = texts[0] ?? [];
  const reply = (page: number): Reply => ({
    body: pages[page - 1] ?? JSON.stringify({ data: [], total_count: 0 }),
  });
  await using provider = await startFakeProvider(({ query }) => reply(Number(query.page)));
  const sections = { traffic: false, residential_ledger: false, reconciliation: false };
  const account = { base_url: provider.baseUrl, ...sections, proxy_users: { schedule: '0 * * * *' } };
  await using harness = await Harness.build({ now: START, firstStepHold: '0s', account });
  const seen: State[] = [await stateOf(harness)];
  for (pages of texts.slice(1)) {
    await harness.advance(HOUR);
    seen.push(await stateOf(harness));
  }
  return seen;
};

const stateOf = async (harness: Harness): Promise<State> => {
  const sql = new SQLite(harness.storePath, { readonly: true });
  const stored = TABLES.map((table) => sql.prepare(`SELECT * FROM ${table}`).all());
  sql.close();
  const shown = (await harness.metricsText()).split('\n').filter((line) => SHOWN.test(line));
  return { stored, shown };
};
const SHOWN = /^proxywatch_(proxy_user|collector|api_requests|run)/;

/** Counts the users that are recognized while `work` runs. */
const countRecognized = async (work: () => Promise<unknown>): Promise<number> => {
  let count = 0;
  const { changedOf } = KnownUsers.prototype;
  vi.spyOn(KnownUsers.prototype, 'changedOf').mockImplementation(function (this: KnownUsers, users) {
    const changed = changedOf.call(this, users);
    count += users.length - changed.length;
    return changed;
  });
  await work();
  vi.restoreAllMocks();
  return count;
};

it('changes nothing that is stored or shown', async () => {
  await fc.assert(
    fc.asyncProperty(size, polls, async (count, steps) => {
      const texts = textsOf(count, steps);
      const skipping = await playedWith(texts);
      vi.spyOn(KnownUsers.prototype, 'stored').mockImplementation(() => {});
      const plain = await playedWith(texts);
      vi.restoreAllMocks();
      expect(skipping).toEqual(plain);
    }),
    { numRuns: Number(process.env.WORLDS ?? 25) },
  );
}, 600_000);

it('ends a conflict of customers as soon as the keys are right again', async () => {
  const keysOf = (customer_id: number): Step[] => [
    (world) => {
      world.rows = world.rows.map((row) => ({ ...row, customer_id }));
    },
  ];
  const states = await playedWith(textsOf(2, [[], keysOf(4712), keysOf(4711), []]));
  const results = states.map(({ stored }) => (stored.at(-1) as Row[])[0]?.result);
  expect(results).toEqual(['ok', 'ok', 'failed', 'ok', 'ok']);
});

it('recognizes all users but those that changed, however the provider writes them', async () => {
  const write = (texts: (page: Row) => string) =>
    textsOf(130, [[], [], [(world) => (world.write = texts)], [], []]);
  const recognized = (texts: string[][]) => countRecognized(() => playedWith(texts));
  expect(await recognized(write((page) => JSON.stringify(page)))).toBe(5 * 130);
  expect(await recognized(write((page) => JSON.stringify(page, null, 2)))).toBe(5 * 130);
});
