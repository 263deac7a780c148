// Serves GET /api/v1/failures: failed tests of all accounts, newest first, page by page.

import { setImmediate } from 'node:timers/promises';
import { PROBE_ERROR_SOURCES } from '../../../collectors/probes/evidence.ts';
import type { ProbeFailureDetails } from '../../../store/probe-store.ts';
import type { FailureFilter } from '../../../store/test-history-store.ts';
import type { DaemonView, ListedFailure } from '../../daemon-view.ts';
import { accountItemOf, count, itemOf, orNull, pageOf, text, time } from '../item.ts';
import { pageRequestOf } from '../list-route.ts';
import * as parameters from '../parameters.ts';
import { ApiError, route } from '../route.ts';

const {
  schema: probeFailure,
  json: probeFailureJson,
  fields,
} = itemOf<ProbeFailureDetails>()('ProbeFailureDetails', (from) => ({
  phase: text.describe('Phase of the probe that failed: `resolve`, `connect`, `tunnel`, `tls` or `response`'),
  cause: text,
  message: text,
  proxy_status: from(
    orNull.count.describe('HTTP status or SOCKS5 reply code of the proxy. Null if the proxy did not answer'),
    'status',
  ),
  provider_code: from(orNull.text.describe('The provider’s own code'), 'code'),
  request_id: orNull.text.describe('The provider’s id of the request. Quote it to the provider’s support'),
}));

export const probeFailureFields = fields;

export const { schema: failure, json: failureJson } = accountItemOf<ListedFailure>()('Failure', (from) => ({
  at: time,
  proxy_id: from(text, 'proxy'),
  url: text,
  tester_server: from(text, 'tester'),
  error_source: orNull.text,
  error_code: orNull.text,
  probe: from(
    probeFailure
      .nullable()
      .describe(
        'What the newest failed probe of this proxy at this target shows. Null for tests by the provider’s testers and for older probes',
      ),
    ({ details }) => (details ? probeFailureJson(details) : null),
  ),
}));

/** By source that has more failures, the number of the last one on the page, or one more than its newest. */
type Positions = ReadonlyMap<string, number>;

interface Queue {
  readonly account: string;
  readonly source: string;
  readonly failures: readonly ListedFailure[];
  taken: number;
}

/** Each source numbers its failures itself, so a cursor has a position in each of them. */
const encodePositions = (positions: Positions): string | null =>
  positions.size === 0
    ? null
    : parameters.encodeCursor({
        account: '',
        id: [...positions].map(([name, number]) => `${number} ${name}`).join('\n'),
      });

/** Returns undefined for the cursor of another list. */
const decodePositions = (id: string): Positions | undefined => {
  const lines = id.split('\n').map((line) => /^(\d{1,15}) (.+)$/.exec(line));
  return lines.every((line) => line !== null)
    ? new Map(lines.map(([, number = '', name = '']) => [name, Number(number)]))
    : undefined;
};

/** The tests and the probes of an account are sources of their own. */
const sourcesOf = (view: DaemonView, accounts: readonly string[]) =>
  accounts.flatMap((account) => view.tests.failureSources(account).map((source) => ({ account, source })));

const readQueues = async (
  view: DaemonView,
  accounts: readonly string[],
  positions: Positions,
  limit: number,
  filter: FailureFilter,
): Promise<Queue[]> => {
  const queues: Queue[] = [];
  for (const { account, source } of sourcesOf(view, accounts)) {
    const before = positions.get(source);
    if (before === undefined) continue;
    const failures = await view.tests.failures(source, limit + 1, { ...filter, before });
    queues.push({ account, source, failures, taken: 0 });
    // The store compares all failures of a source with the filter, so other work runs between two of them.
    await setImmediate();
  }
  return queues;
};

const countAll = async (
  view: DaemonView,
  accounts: readonly string[],
  filter: FailureFilter,
): Promise<number> => {
  let total = 0;
  for (const { source } of sourcesOf(view, accounts)) {
    total += await view.tests.countFailures(source, filter);
    await setImmediate();
  }
  return total;
};

/** Takes the newest of the sources' next failures, again and again. An account's own order is that of its numbers. */
const takeNewest = (queues: readonly Queue[], limit: number): ReturnType<typeof failureJson>[] => {
  const data: ReturnType<typeof failureJson>[] = [];
  const timeOf = ({ failures, taken }: Queue): number => failures[taken]?.at ?? Number.NEGATIVE_INFINITY;
  while (data.length < limit) {
    const newest = queues.reduce<Queue | undefined>(
      (best, queue) => (best && timeOf(best) >= timeOf(queue) ? best : queue),
      undefined,
    );
    const next = newest?.failures[newest.taken];
    if (!newest || !next) break;
    newest.taken += 1;
    data.push(failureJson(newest.account, next));
  }
  return data;
};

const positionsAfter = (queues: readonly Queue[]): Positions =>
  new Map(
    queues.flatMap(({ source, failures, taken }) => {
      const next = failures[taken];
      return next ? [[source, (failures[taken - 1] ?? { number: next.number + 1 }).number] as const] : [];
    }),
  );

/** Looking at all failures would take longer, so these are the tested subjects, and all sources that tests and probes have. */
const valuesOf = async (view: DaemonView, accounts: readonly string[]) => {
  const lists = await Promise.all(
    accounts.map(async (name) => ({
      url: await view.tests.targets(name),
      tester_server: await view.tests.testers(name),
    })),
  );
  const idsOf = (kind: 'url' | 'tester_server'): string[] =>
    [...new Set(lists.flatMap((each) => each[kind].map(({ id }) => id)))].sort();
  return {
    ...{ url: idsOf('url'), tester_server: idsOf('tester_server') },
    error_source: PROBE_ERROR_SOURCES.toSorted(),
  };
};

export const FAILURE_ROUTE = route({
  path: '/api/v1/failures',
  collector: 'proxy_tests',
  summary: 'Failed tests, newest first',
  query: {
    ...parameters.page,
    proxy_id: parameters.singleText.describe('Only failures of this proxy'),
    url: parameters.singleText.describe('Only failures at this target'),
    tester_server: parameters.singleText.describe('Only failures from this tester'),
    error_source: parameters.singleText.describe('Only failures with this error source'),
    q: parameters.q.describe(
      'Only failures with this text in `proxy_id`, `url`, `tester_server`, `error_source` or `error_code`, in upper or lower case',
    ),
    from: parameters.time.describe('Only failures at this time or later'),
    to: parameters.time.describe('Only failures before this time'),
  },
  answer: pageOf(failure).extend({
    total: count.describe('Number of failures that match, on all pages'),
    ...parameters.filterValues,
  }),
  revision: (view) => view.tests.revision(),
  read: async ({ view, query }) => {
    const { accounts, limit, after } = pageRequestOf(query, view);
    const given = after && decodePositions(after.id);
    if (given === undefined) throw new ApiError(400, 'cursor: expected one of the same list');
    const sources = sourcesOf(view, accounts).map(({ source }) => source);
    const positions = given ?? new Map(sources.map((name) => [name, Number.MAX_SAFE_INTEGER]));
    const period = parameters.periodOf(query);
    const filter = {
      ...{ proxy: query.proxy_id, url: query.url, tester: query.tester_server },
      ...{ errorSource: query.error_source, text: query.q, ...period },
    };
    const queues = await readQueues(view, accounts, positions, limit, filter);
    const data = takeNewest(queues, limit);
    return {
      data,
      next_cursor: encodePositions(positionsAfter(queues)),
      total: await countAll(view, accounts, filter),
      filter_values: await valuesOf(view, accounts),
    };
  },
});
