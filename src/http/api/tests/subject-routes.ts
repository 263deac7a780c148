// Serves one proxy, target or tester: GET /api/v1/accounts/{account}/proxies/{proxy_id} and so on.

import { z } from 'zod';
import {
  evidenceOf,
  type InventoryEvidence,
  readPlaceChanges,
} from '../../../collectors/inventory-evidence.ts';
import { findTestedId, matchInventory } from '../../../collectors/inventory-match.ts';
import type { FromHere, ProxyDetails } from '../../../collectors/proxy-tests/subject-details.ts';
import { VERDICTS, type Verdict } from '../../../collectors/proxy-tests/verdicts.ts';
import type { ProbeExit } from '../../../store/probe-store.ts';
import type { TestCell } from '../../../store/test-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { count, flag, text, time } from '../fields.ts';
import { proxy as inventoryProxy, proxyJson as inventoryProxyJson } from '../inventory/inventory.ts';
import { itemOf } from '../item.ts';
import { ApiError, accountWithCollector, route } from '../route.ts';
import { probeFailure, probeFailureJson } from './failures.ts';
import { HISTORY_ROUTES } from './history-routes.ts';
import { proxy, proxyJson, subjectJson, target, test, tester, testerPlaceJson, testJson } from './tests.ts';
import { uptimes, uptimesJson } from './uptime-json.ts';

const verdict = {
  verdict: z
    .enum(VERDICTS)
    .describe(
      'What is at fault for the failing tests. `ok`: nothing. `unattributed`: tests fail, and no fault explains them. `inconclusive`: the cause cannot be found. `unusable_here`: the proxy fails from the machine of proxywatch only',
    ),
  verdict_text: text.describe('The verdict in a sentence, with its reason'),
};

const verdictJson = ({ verdict, text }: Verdict) => ({ verdict, verdict_text: text });

const cell = test
  .extend({
    results: count.describe('Number of results since the first one'),
    successes: count,
    last_outcomes: z.array(flag).describe('Outcomes of the last 8 rounds, newest first. True is a success'),
  })
  .meta({ id: 'TestCell' });

const cellJson = (cell: TestCell) => ({
  ...testJson(cell),
  results: cell.results,
  successes: cell.successes,
  last_outcomes: Array.from({ length: cell.rounds }, (_, depth) => ((cell.history >> depth) & 1) === 0),
});

const { schema: exit, json: exitJson } = itemOf<ProbeExit>()('ProbeExit', (from) => ({
  expected: text.describe('Address of the inventory, or country that the user name asks for'),
  seen: text.describe('Address or country that the URL of the check saw'),
  mismatch: from(flag, ({ isMismatch }) => isMismatch),
  since: time.describe('Time since which `mismatch` has had this value'),
  at: time.describe('Time of the check'),
}));

export const { schema: fromHere, json: fromHereJson } = itemOf<FromHere>()('FromHere', (from) => ({
  tester_server: from(text.describe('Label of the machine of proxywatch'), ({ tester }) => tester),
  last_tested_at: time.nullable(),
  failing_rounds: count.describe('Number of rounds of probes in a row in which a probe of the proxy failed'),
  verdict: from(verdict.verdict, ({ verdict }) => verdict.verdict),
  verdict_text: from(verdict.verdict_text, ({ verdict }) => verdict.text),
  uptime: from(uptimes, ({ uptime }) => uptimesJson(uptime)),
  last_failures: from(
    z
      .array(z.strictObject({ url: text, at: time, ...probeFailure.shape }).meta({ id: 'ProbeFailure' }))
      .describe('Last failure at each target. It can be over'),
    ({ failures }) =>
      failures.map((each) => ({ url: each.url, at: rfc3339(each.at), ...probeFailureJson(each) })),
  ),
  exit: from(
    exit.nullable().describe('Last check of the exit. Null if the exit was not checked'),
    ({ exit }) => (exit ? exitJson(exit) : null),
  ),
}));

const { schema: inventoryChange, json: inventoryChangeJson } = itemOf<InventoryEvidence>()(
  'TestedProxyChange',
  (from) => ({
    change: from(z.enum(['gone', 'address']), ({ kind }) => kind),
    at: time.describe('Start of the listing that showed the change'),
    before: from(text.nullable().describe('Old address'), (evidence) => evidence.from),
    after: from(text.nullable().describe('New address'), ({ to }) => to),
    tested_elsewhere: from(
      flag.describe('Whether the tests use another address than the new one'),
      ({ isTestedElsewhere }) => isTestedElsewhere,
    ),
  }),
);

export const proxyDetails = proxy
  .extend({
    ...verdict,
    tested_since: time.describe('Time at which proxywatch first found the proxy among the proxies to test'),
    appeared_at: time
      .nullable()
      .describe(
        'Newest time at which the proxy appeared in the inventory. Null if it was in the first listing',
      ),
    from_here: fromHere
      .nullable()
      .describe('What the probes from the machine of proxywatch show. Null if the proxy is not probed'),
    inventory_id: text
      .nullable()
      .describe(
        'Id by which the inventory knows the proxy or, after it removed the proxy, last knew it. Null if the id is not known',
      ),
    inventory_change: inventoryChange
      .nullable()
      .describe(
        'Set if the newest change in the inventory removed the proxy or gave it another address. Null otherwise',
      ),
    inventory: inventoryProxy.nullable().describe('Null if the inventory does not have the proxy'),
    tests: z.array(cell),
  })
  .meta({ id: 'TestedProxyDetails' });

const revision = async (view: DaemonView): Promise<string> =>
  `${await view.tests.revision()} ${view.revision(['inventory'])}`;

/** Reads what the inventory knows of a tested proxy. */
const readInventory = async (view: DaemonView, account: string, tested: ProxyDetails) => {
  const store = accountWithCollector(view, account, 'inventory')?.store;
  const match = store && (await matchInventory(store, account, tested));
  if (!match) return { inventory_id: null, inventory_change: null, inventory: null, appeared_at: null };
  const changes = await readPlaceChanges(store, account, match.id);
  const evidence = changes[0] && evidenceOf(changes[0], tested.host);
  return {
    inventory_id: match.id,
    inventory_change: evidence ? inventoryChangeJson(evidence) : null,
    inventory: match.proxy ? inventoryProxyJson(account, match.proxy) : null,
    appeared_at: rfc3339(changes.find(({ change }) => change === 'appeared')?.at ?? null),
  };
};

/** Finds a tested proxy by its id, or by the id that the inventory gives it. */
const findTested = async (view: DaemonView, account: string, id: string) => {
  const found = await view.tests.proxy(account, id);
  const store = accountWithCollector(view, account, 'inventory')?.store;
  if (found || !store) return found;
  const testedId = await findTestedId(store, account, id);
  return testedId === undefined ? undefined : view.tests.proxy(account, testedId);
};

const notKnown = (parameter: string, id: string): ApiError =>
  new ApiError(404, `${parameter}: "${id}" is not known`);

export const SUBJECT_ROUTES = [
  route({
    path: '/api/v1/accounts/{account}/proxies/{proxy_id}',
    collector: 'proxy_tests',
    summary:
      'One tested proxy, by its id or the id of the inventory, and what is at fault for its failing tests',
    query: {},
    answer: proxyDetails,
    revision,
    read: async ({ view, path: { account = '', proxy_id: id = '' } }) => {
      const found = await findTested(view, account, id);
      if (!found) return notKnown('proxy_id', id);
      return {
        ...proxyJson(account, found),
        ...verdictJson(found.verdict),
        tested_since: rfc3339(found.since),
        ...(await readInventory(view, account, found)),
        from_here: found.fromHere ? fromHereJson(found.fromHere) : null,
        tests: found.tests.map(cellJson),
      };
    },
  }),
  route({
    path: '/api/v1/accounts/{account}/targets/{url}',
    collector: 'proxy_tests',
    summary: 'One target, and what is at fault for its failing tests',
    query: {},
    answer: target.extend(verdict).meta({ id: 'TargetDetails' }),
    revision: (view) => view.tests.revision(),
    read: async ({ view, path: { account = '', url: id = '' } }) => {
      const found = await view.tests.target(account, id);
      if (!found) return notKnown('url', id);
      return { account, url: id, ...subjectJson(found), ...verdictJson(found.verdict) };
    },
  }),
  route({
    path: '/api/v1/accounts/{account}/testers/{tester_server}',
    collector: 'proxy_tests',
    summary: 'One tester, and what is at fault for its failing tests',
    query: {},
    answer: tester.extend(verdict).meta({ id: 'TesterDetails' }),
    revision: (view) => view.tests.revision(),
    read: async ({ view, path: { account = '', tester_server: id = '' } }) => {
      const found = await view.tests.tester(account, id);
      if (!found) return notKnown('tester_server', id);
      return {
        ...{ account, tester_server: id, vantage: found.isVantage ?? false, ...testerPlaceJson(found.place) },
        ...{ ...subjectJson(found), ...verdictJson(found.verdict) },
      };
    },
  }),
  ...HISTORY_ROUTES,
];
