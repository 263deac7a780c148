// Tests that a rendering that repeats unchanged users shows the same text as one that writes all users.

import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { seriesDropped } from '../../../src/collectors/common-families.ts';
import { proxyUsers } from '../../../src/collectors/proxy-users/proxy-users.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { Exposition } from '../../../src/metrics/exposition.ts';
import { textOf } from '../../metrics/support.ts';
import type { Harness } from '../../support/harness.ts';
import { type Row, residentialUserRow, StubAccount } from '../stub-account.ts';

afterEach(() => vi.restoreAllMocks());

const PART = { collector: 'proxy_users', account: 'main' };
const FAMILIES = [...proxyUsers.families, seriesDropped];
const SHOWN = new RegExp(
  `^(${FAMILIES.map(({ name }) => name).join('|')})\\{(?!.*collector="(?!proxy_users"))`,
);

const linesOf = async (exposition: Exposition): Promise<string[]> =>
  (await textOf(exposition)).split('\n').filter((line) => SHOWN.test(line));

/** Renders all users of the store, without anything that is known of them. */
const fullLines = async ({ app, clock }: Harness): Promise<string[]> => {
  const [account] = app.accounts;
  if (!account?.settings.proxy_users) return [];
  const context = {
    account: account.context,
    options: account.settings.proxy_users,
    store: app.store,
    clock,
  };
  const exposition = new Exposition(FAMILIES);
  await exposition.render(PART, (sink) => proxyUsers.expose(context, sink));
  return await linesOf(exposition);
};

const idOf = (index: number): string => `user-${String(index).padStart(4, '0')}`;

class World {
  readonly account: StubAccount;
  readonly harness: Harness;
  /** Whether the last rendering failed on purpose. */
  isBehind = false;
  /** Renderings beside those of runs. */
  readonly renderings: Promise<unknown>[] = [];

  constructor(account: StubAccount, harness: Harness) {
    this.account = account;
    this.harness = harness;
  }

  /** Changes every row whose place has this rest. */
  change(rest: number, of: number, change: (row: Row) => Row): void {
    this.account.users = this.account.users.map((row, place) =>
      place % of === rest % of ? change(row) : row,
    );
  }
}

/** Changes the provider, or what the daemon does. */
type Change = (world: World) => unknown;

/** After the changes, the daemon polls `ms` later. */
interface Step {
  readonly ms: number;
  readonly changes: readonly Change[];
}

const places = fc.tuple(fc.nat(500), fc.constantFrom(1, 7, 13, 25, 60, 500));
const USED = 'proxy_user_residential_bytes_used';

const use = fc.tuple(places, fc.constantFrom(1, 50, 300, -40)).map(
  ([[rest, of], bytes]) =>
    (world: World) =>
      world.change(rest, of, (row) => ({ ...row, [USED]: Math.max(0, Number(row[USED]) + bytes) })),
);
const field = fc.constantFrom<readonly [string, unknown]>(
  ...([null, undefined, 0, 400, 5_000].map((value) => ['proxy_user_residential_bytes_limit', value]) as []),
  ...([null, undefined, 0].map((value) => [USED, value]) as []),
  ['proxy_user_mobile_bytes_used', 7],
  ['proxy_user_mobile_bytes_limit', 8],
  ['proxy_user_access_type', 'service_restricted'],
  ['proxy_user_is_deleted', true],
  ['proxy_user_is_deleted', false],
  ['proxy_user_is_default', true],
  ['proxy_user_metadata', { team: 'blue' }],
  ['proxy_user_id', null],
  // Does not decode.
  [USED, 1.5],
);
const setField = fc.tuple(places, field).map(
  ([[rest, of], [name, value]]) =>
    (world: World) =>
      world.change(rest, of, (row) => ({ ...row, [name]: value })),
);
const remove = places.map(([rest, of]) => (world: World) => {
  world.account.users = world.account.users.filter((_, place) => of === 1 || place % of !== rest % of);
});
const empty = fc.constant((world: World) => {
  world.account.users = [];
});
const add = fc
  .array(
    fc.oneof(
      fc.nat(700).map((index) => idOf(index)),
      fc.constantFrom('a', 'user-0000-b', 'zoë', '\u{ff5e}', '\u{1f600}', 'user-0003\n"'),
    ),
    { minLength: 1, maxLength: 45 },
  )
  .map((ids) => (world: World) => {
    const known = new Set(world.account.users.map((row) => row.proxy_user_id));
    const added = [...new Set(ids)]
      .filter((id) => !known.has(id))
      .map((id, place) => residentialUserRow(id, 900, place % 5 === 4 ? 1.5 : 40));
    world.account.users = [...world.account.users, ...added];
  });
const failingPage = fc.nat(6).map((page) => ({ account }: World) => {
  account.failsAt = (each) => each === page;
});
const movedRows = fc.constant(({ account }: World) => {
  account.totalCountOf = (rows) => rows.length + 1;
});
const threshold = fc.constantFrom(0.05, 0.5, 0.9).map((value) => async ({ harness }: World) => {
  const alerts = { ...harness.settings.alerts, ProxyUserQuotaLow: { threshold: value } };
  await harness.app.reconfigure({ ...harness.settings, alerts });
});
const soon = fc.constantFrom(3_600, 400 * 86_400).map((value) => async ({ harness }: World) => {
  const alerts = { ...harness.settings.alerts, ProxyUserQuotaExhaustionSoon: { threshold: value } };
  await harness.app.reconfigure({ ...harness.settings, alerts });
});
const restart = fc.constant(({ harness }: World) => harness.restart());
const clockBack = fc.constantFrom(10_000, 2 * HOUR, 3 * DAY).map((ms) => ({ harness }: World) => {
  harness.clock.jumpTo(harness.clock.now() - ms);
});
const failingRead = fc.nat(20).map((calls) => (world: World) => {
  let left = calls;
  const { page } = world.harness.app.store.users;
  vi.spyOn(world.harness.app.store.users, 'page').mockImplementation(async (...query) => {
    left -= 1;
    if (left === 0) world.isBehind = true;
    if (left === 0) throw new Error('the disk cannot be read');
    return page(...query);
  });
});
const failingWrite = fc.constant(({ harness }: World) => {
  vi.spyOn(harness.app.store.users, 'savePage').mockRejectedValueOnce(new Error('the disk is full'));
});
const rendering = fc.constant(({ harness, renderings }: World) => {
  for (const { jobs } of harness.app.accounts)
    renderings.push(...jobs.map((job) => job.render().catch(() => {})));
});
const nothing = fc.constant(() => {});

const rarely = (arbitrary: fc.Arbitrary<Change>) => ({ arbitrary, weight: 1 });

const change: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: use, weight: 6 },
  { arbitrary: setField, weight: 4 },
  { arbitrary: nothing, weight: 4 },
  ...[remove, add].map((arbitrary) => ({ arbitrary, weight: 2 })),
  ...[empty, failingPage, movedRows, threshold, soon, restart, clockBack].map(rarely),
  ...[failingRead, failingWrite, rendering].map(rarely),
);

const step: fc.Arbitrary<Step> = fc.record({
  ms: fc.oneof(
    { arbitrary: fc.constant(HOUR / 3), weight: 6 },
    { arbitrary: fc.constantFrom(0, HOUR, 2 * HOUR, 12 * HOUR, DAY, 2 * DAY, 50 * DAY), weight: 3 },
  ),
  changes: fc.array(change, { minLength: 1, maxLength: 2 }),
});

const options = fc.oneof(
  { arbitrary: fc.constant<Row>({}), weight: 6 },
  fc.constantFrom<Row>(
    ...[{ max_series_users: 15 }, { max_series_users: 43, zero_limit: 'exhausted' }, { select: { top: 3 } }],
    ...[{ select: { ids: ['user-0004', 'user-0021'] } }, { select: { include_deleted: true } }],
    { labels_from_metadata: ['team'] },
  ),
);
const count = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 60 }), weight: 4 },
  { arbitrary: fc.constantFrom(450, 1_150), weight: 3 },
);
/** Some polls give no new forecasts, because the hour is the same. */
const OFTEN = { schedule: '*/20 * * * *' };
const hold = fc.constantFrom('0s', '2m', '90m');

const usersOf = (users: number): Row[] =>
  Array.from({ length: users }, (_, index) =>
    residentialUserRow(idOf(index), index % 3 === 0 ? null : 1_000, (97 * index) % 1_000),
  );

const play = async (world: World, { changes, ms }: Step): Promise<void> => {
  const { account, harness } = world;
  for (const change of changes) await change(world);
  await harness.advance(ms);
  await harness.advance(0);
  await Promise.allSettled(world.renderings.splice(0));
  account.failsAt = () => false;
  account.totalCountOf = (rows) => rows.length;
  vi.restoreAllMocks();
  if (world.isBehind) for (const { jobs } of harness.app.accounts) for (const job of jobs) await job.render();
  world.isBehind = false;
};

it('shows the same text', async () => {
  await fc.assert(
    fc.asyncProperty(
      options,
      hold,
      count,
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (...world) => {
        const [own, firstStepHold, users, steps] = world;
        await using account = await StubAccount.start();
        account.users = usersOf(users);
        await using harness = await account.buildHarness(
          'proxy_users',
          { ...OFTEN, ...own },
          { firstStepHold },
        );
        const played = new World(account, harness);
        for (const each of steps) {
          await play(played, each);
          expect(await linesOf(harness.app.exposition)).toEqual(await fullLines(harness));
        }
      },
    ),
    { numRuns: Number(process.env.WORLDS ?? 25) },
  );
}, 600_000);

it('reads only the rows of blocks with a user that was added or removed', async () => {
  await using account = await StubAccount.start();
  account.users = usersOf(950);
  // All polls are in the same hour.
  await using harness = await account.buildHarness('proxy_users', { schedule: '*/5 * * * *' });
  const readRows = async (change: () => void): Promise<number> => {
    change();
    const page = vi.spyOn(harness.app.store.users, 'page');
    await harness.advance(5 * MINUTE);
    const pages = await Promise.all(page.mock.results.map(({ value }) => value as Promise<unknown[]>));
    vi.restoreAllMocks();
    expect(await linesOf(harness.app.exposition)).toEqual(await fullLines(harness));
    return pages.flat().length;
  };
  await harness.advance(5 * MINUTE);
  expect(await readRows(() => {})).toBe(0);
  expect(
    await readRows(() => {
      account.users = account.users.with(42, residentialUserRow(idOf(42), 1_000, 500));
    }),
  ).toBe(0);
  expect(
    await readRows(() => {
      account.users = [...account.users, residentialUserRow('user-0042b', 5, 1)];
    }),
  ).toBe(501);
  const missing = () => {
    account.users = account.users.filter((row) => row.proxy_user_id !== idOf(949));
  };
  expect([await readRows(missing), await readRows(missing), await readRows(missing)]).toEqual([450, 449, 0]);
});

it('moves the cap when a user is added before a block that has not changed', async () => {
  await using account = await StubAccount.start();
  account.users = usersOf(700);
  await using harness = await account.buildHarness('proxy_users', { max_series_users: 700 });
  await harness.advance(HOUR);
  account.users = [residentialUserRow('added', 5, 1), ...account.users];
  await harness.advance(HOUR);
  expect(await linesOf(harness.app.exposition)).toEqual(await fullLines(harness));
  const dropped = (await harness.samples()).value(seriesDropped.name, { collector: 'proxy_users' });
  expect(dropped).toBe(1);
});

it('shows a removed user again that is listed but does not decode', async () => {
  await using account = await StubAccount.start();
  await using harness = await account.buildHarness('proxy_users', { schedule: '*/5 * * * *' });
  const poll = async (...last: Row[]): Promise<number> => {
    account.users = [...usersOf(20), ...last];
    await harness.advance(5 * MINUTE);
    const lines = await linesOf(harness.app.exposition);
    expect(lines).toEqual(await fullLines(harness));
    return lines.filter((line) => line.includes(idOf(20))).length;
  };
  const user = residentialUserRow(idOf(20), null, 7);
  expect(await poll(user)).toBeGreaterThan(0);
  expect([await poll(), await poll(), await poll()]).toEqual([expect.any(Number), 0, 0]);
  expect(await poll({ ...user, [USED]: 1.5 })).toBeGreaterThan(0);
});

it('stores all changes in the run after one that was interrupted and could not store', async () => {
  await using account = await StubAccount.start();
  account.users = usersOf(450);
  await using harness = await account.buildHarness('proxy_users', { schedule: '*/5 * * * *' });
  await harness.advance(5 * MINUTE);
  account.users = account.users.with(150, residentialUserRow(idOf(150), 1_000, 999));
  account.failsAt = (page) => page === 5;
  // The first page is stored at once, and the change of the second one with the interruption.
  const { savePage } = harness.app.store.users;
  const save = vi.spyOn(harness.app.store.users, 'savePage');
  save.mockImplementationOnce(savePage).mockRejectedValue(new Error('the disk is full'));
  await harness.advance(5 * MINUTE);
  expect(save).toHaveBeenCalledTimes(2);
  account.failsAt = () => false;
  vi.restoreAllMocks();
  await harness.advance(5 * MINUTE);
  const stored = await harness.app.store.users.find('main', idOf(150));
  expect(stored?.quotas.residential.usedBytes).toBe(999);
});

it.each([5, 150])('stores the later answer about a user that comes twice, first at row %i', async (row) => {
  await using account = await StubAccount.start();
  account.users = usersOf(250);
  await using harness = await account.buildHarness('proxy_users', { schedule: '*/5 * * * *' });
  await harness.advance(15 * MINUTE);
  const [before = {}] = account.users.slice(row, row + 1);
  const changed = { ...before, proxy_user_access_type: 'service_restricted' };
  account.users = [...usersOf(250).with(row, changed), before];
  await harness.advance(5 * MINUTE);
  const stored = await harness.app.store.users.find('main', idOf(row));
  expect(stored?.accessType).toBe(before.proxy_user_access_type);
});
