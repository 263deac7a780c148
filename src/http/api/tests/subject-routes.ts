// Serves one proxy, target or tester: GET /api/v1/accounts/{account}/proxies/{proxy_id} and so on.

import { z } from 'zod';
import {
  evidenceOf,
  type InventoryEvidence,
  readPlaceChanges,
} from '../../../collectors/inventory-evidence.ts';
import { findTestedId, matchInventory } from '../../../collectors/inventory-match.ts';
import type {
  FromHere,
  ProxyDetails,
  TargetDetails,
  TesterDetails,
} from '../../../collectors/proxy-tests/subject-details.ts';
import { VERDICTS, type Verdict } from '../../../collectors/proxy-tests/verdicts.ts';
import type { ProbeExit, ProbeFailureDetails } from '../../../store/probe-store.ts';
import type { TestCell } from '../../../store/test-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { inventoryItem } from '../inventory.ts';
import { accountItemOf, count, flag, itemOf, orNull, rfc3339, text, time } from '../item.ts';
import { accountWithCollector, itemRoute } from '../route.ts';
import { probeFailureFields } from './failures.ts';
import { proxy, proxyJson, target, test, tester } from './tests.ts';
import { HISTORY_ROUTES, uptimes } from './uptimes.ts';

const { fields: verdict, json: verdictJson } = itemOf<{ readonly verdict: Verdict }>()('Verdict', (from) => ({
  verdict: from(
    z
      .enum(VERDICTS)
      .describe(
        'What is at fault for the failing tests. `ok`: nothing. `unattributed`: tests fail, and no fault explains them. `inconclusive`: the cause cannot be found. `unusable_here`: the proxy fails from the machine of proxywatch only',
      ),
    ({ verdict }) => verdict.verdict,
  ),
  verdict_text: from(
    text.describe('The verdict in a sentence, with its reason'),
    ({ verdict }) => verdict.text,
  ),
}));

const { schema: cell, json: cellJson } = itemOf<TestCell>()('TestCell', (from) => ({
  ...test.fields,
  results: count.describe('Number of results since the first one'),
  successes: count,
  last_outcomes: from(
    z.array(flag).describe('Outcomes of the last 8 rounds, newest first. True is a success'),
    ({ rounds, history }) => Array.from({ length: rounds }, (_, depth) => ((history >> depth) & 1) === 0),
  ),
}));

const { schema: exit } = itemOf<ProbeExit>()('ProbeExit', (from) => ({
  expected: text.describe('Address of the inventory, or country that the user name asks for'),
  seen: text.describe('Address or country that the URL of the check saw'),
  mismatch: from(flag, 'isMismatch'),
  since: time.describe('Time since which `mismatch` has had this value'),
  at: time.describe('Time of the check'),
}));

const { schema: failure } = itemOf<ProbeFailureDetails>()('ProbeFailure', () => ({
  url: text,
  at: time,
  ...probeFailureFields,
}));

export const { schema: fromHere, json: fromHereJson } = itemOf<FromHere>()('FromHere', (from) => ({
  tester_server: from(text.describe('Label of the machine of proxywatch'), 'tester'),
  last_tested_at: orNull.time,
  failing_rounds: count.describe('Number of rounds of probes in a row in which a probe of the proxy failed'),
  ...verdict,
  uptime: uptimes,
  last_failures: from(z.array(failure).describe('Last failure at each target. It can be over'), 'failures'),
  exit: exit.nullable().describe('Last check of the exit. Null if the exit was not checked'),
}));

const { schema: inventoryChange, json: inventoryChangeJson } = itemOf<InventoryEvidence>()(
  'TestedProxyChange',
  (from) => ({
    change: from(z.enum(['gone', 'address']), 'kind'),
    at: time.describe('Start of the listing that showed the change'),
    before: from(orNull.text.describe('Old address'), 'from'),
    after: from(orNull.text.describe('New address'), 'to'),
    tested_elsewhere: from(
      flag.describe('Whether the tests use another address than the new one'),
      'isTestedElsewhere',
    ),
  }),
);

export const proxyDetails = proxy
  .extend({
    verdict: verdict.verdict.schema,
    verdict_text: verdict.verdict_text.schema,
    tested_since: time.describe('Time at which proxywatch first found the proxy among the proxies to test'),
    appeared_at: orNull.time.describe(
      'Newest time at which the proxy appeared in the inventory. Null if it was in the first listing',
    ),
    from_here: fromHere
      .nullable()
      .describe('What the probes from the machine of proxywatch show. Null if the proxy is not probed'),
    inventory_id: orNull.text.describe(
      'Id by which the inventory knows the proxy or, after it removed the proxy, last knew it. Null if the id is not known',
    ),
    inventory_change: inventoryChange
      .nullable()
      .describe(
        'Set if the newest change in the inventory removed the proxy or gave it another address. Null otherwise',
      ),
    inventory: inventoryItem.schema.nullable().describe('Null if the inventory does not have the proxy'),
    tests: z.array(cell),
  })
  .meta({ id: 'TestedProxyDetails' });

const readInventory = async (view: DaemonView, account: string, tested: ProxyDetails) => {
  const store = accountWithCollector(view, account, 'inventory')?.store;
  const match = store && (await matchInventory(store, account, tested));
  if (!match) return { inventory_id: null, inventory_change: null, inventory: null, appeared_at: null };
  const changes = await readPlaceChanges(store, account, match.id);
  const evidence = changes[0] && evidenceOf(changes[0], tested.host);
  return {
    inventory_id: match.id,
    inventory_change: evidence ? inventoryChangeJson(evidence) : null,
    inventory: match.proxy ? inventoryItem.json(account, match.proxy) : null,
    appeared_at: rfc3339(changes.find(({ change }) => change === 'appeared')?.at ?? null),
  };
};

/** Finds a tested proxy by its id, or by the id that the inventory gives it. */
export const findTested = async (view: DaemonView, account: string, id: string) => {
  const found = await view.tests.proxy(account, id);
  const store = accountWithCollector(view, account, 'inventory')?.store;
  if (found || !store) return found;
  const testedId = await findTestedId(store, account, id);
  return testedId === undefined ? undefined : view.tests.proxy(account, testedId);
};

const targetDetails = accountItemOf<TargetDetails>()('TargetDetails', () => ({
  ...target.fields,
  ...verdict,
}));

const testerDetails = accountItemOf<TesterDetails>()('TesterDetails', () => ({
  ...tester.fields,
  ...verdict,
}));

export const SUBJECT_ROUTES = [
  itemRoute({
    path: '/api/v1/accounts/{account}/proxies/{proxy_id}',
    collector: 'proxy_tests',
    summary:
      'One tested proxy, by its id or the id of the inventory, and what is at fault for its failing tests',
    query: {},
    answer: proxyDetails,
    revision: async (view) => `${await view.tests.revision()} ${view.revision(['inventory'])}`,
    find: async (view, account, id) => {
      const found = await findTested(view, account, id);
      return (
        found && {
          ...proxyJson(account, found),
          ...verdictJson(found),
          tested_since: rfc3339(found.since),
          ...(await readInventory(view, account, found)),
          from_here: found.fromHere ? fromHereJson(found.fromHere) : null,
          tests: found.tests.map(cellJson),
        }
      );
    },
  }),
  itemRoute({
    path: '/api/v1/accounts/{account}/targets/{url}',
    collector: 'proxy_tests',
    summary: 'One target, and what is at fault for its failing tests',
    query: {},
    answer: targetDetails.schema,
    revision: (view) => view.tests.revision(),
    find: async (view, account, id) => {
      const found = await view.tests.target(account, id);
      return found && targetDetails.json(account, found);
    },
  }),
  itemRoute({
    path: '/api/v1/accounts/{account}/testers/{tester_server}',
    collector: 'proxy_tests',
    summary: 'One tester, and what is at fault for its failing tests',
    query: {},
    answer: testerDetails.schema,
    revision: (view) => view.tests.revision(),
    find: async (view, account, id) => {
      const found = await view.tests.tester(account, id);
      return found && testerDetails.json(account, found);
    },
  }),
  ...HISTORY_ROUTES,
];
