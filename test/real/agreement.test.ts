// Prometheus with the generated rules and the daemon's own evaluation tell the same of one story, step by step.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { proxyAddress } from '../../src/simulator/identities.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { accountsAt, COLLECTORS, SCENARIO, SERVICE_ID, USER_IDS } from './agreement-accounts.ts';
import { BothWays, LateClock } from './both-ways.ts';
import { describeWith } from './with-programs.ts';

const TESTER = 'singapore-1-digitalocean-proxytester-1';
const RESTARTS = 5;

const FAILING = [
  'ProxiesFailing critical account=main product_type=isp',
  'ProxyFailing warning account=main proxy_id=p1',
  'ProxyFailing warning account=main proxy_id=p2',
];
const TROUBLED = [
  `ProxyTesterFailing info account=main tester_server=${TESTER}`,
  'ProxyTargetBlocked warning account=main url=shop.example',
  `ServiceExpiringSoon warning account=main service_id=${SERVICE_ID}`,
  'ResidentialBalanceExhausted critical account=main',
  ...USER_IDS.map(
    (id) => `ProxyUserQuotaExhausted warning account=main product_type=mobile proxy_user_id=${id}`,
  ),
  'TrafficStopped critical account=main graph=isp',
];
const REJECTED = ['ProviderKeysRejected critical account=main'];
const FORBIDDEN = [
  'CollectorFailing warning account=main collector=services',
  'ProviderEndpointForbidden warning account=main endpoint=service/retrieve',
];
const REFUSED = ['TestQuotaRefused warning account=main collector=proxy_tests'];
/** Long enough for a scrape and a notice to tell of it. */
const REFUSED_SECONDS = 20;
const DOWN = [
  ...COLLECTORS.map((name) => `CollectorFailing warning account=main collector=${name}`),
  'DataStale warning account=other collector=catalog',
];

/** A tester and a target go bad, a service expires, balance and users run out, and a graph stops; returns how that ends. */
const trouble = ({ faults, outages, changes }: Simulator): (() => void) => {
  outages.add({ kind: 'tester', subject: TESTER });
  outages.add({ kind: 'target', subject: 'shop.example' });
  const expiry = new Date(Date.now() + 2 * DAY).toISOString().slice(0, 19).replace('T', ' ');
  const set = { service_expiry_datetime: expiry, service_is_automatic_collection: false };
  const due = changes.add({ kind: 'service', subject: 0, set });
  const kind = 'set_fields' as const;
  const values = ['bytes', 'requests', 'successful', 'error'].flatMap((name) => [name, `total_${name}`]);
  const nothing = Object.fromEntries(values.map((name) => [name, 0]));
  faults.add({ kind, endpoint: 'residential_ledger', fields: { residential_ledger_bytes: -1 } });
  faults.add({ kind, endpoint: 'proxy_user', fields: { proxy_user_mobile_bytes_used: 9e14 } });
  faults.add({ kind, endpoint: 'analytics/graph', query: 'network=isp', fields: nothing });
  return () => {
    outages.clear();
    faults.clear();
    changes.remove(due);
  };
};

/** Tells whether a restart fell between two scrapes, so that Prometheus could not see it. */
const isRestartUnseen = async (both: BothWays, firing: readonly string[]): Promise<boolean> => {
  const [before, told] = [await both.since(), both.notices.length];
  const isUnseen = await both.restart();
  await both.untilFiring(firing);
  const after = await both.since();
  expect(after.daemon).toEqual(before.daemon);
  expect(both.notices.length).toBe(told);
  if (isUnseen) expect(after.prometheus).toEqual(before.prometheus);
  return isUnseen;
};

describeWith(['prometheus'], 'Prometheus and the daemon', () => {
  test('tell of the same alerts about the same subjects, and of no others', async () => {
    const clock = new LateClock(HOUR);
    await using main = await startSimulator({ scenario: SCENARIO, now: clock.now });
    await using other = await startSimulator({ scenario: SCENARIO, now: clock.now });
    await using both = await BothWays.start(accountsAt(main, other), clock);
    await both.untilFiring([]);

    for (const index of [1, 2]) main.outages.add({ kind: 'proxy', subject: proxyAddress(index).host });
    await both.untilFiring(FAILING);
    main.outages.clear();
    await both.untilFiring([]);

    const endTrouble = trouble(main);
    await both.untilFiring(TROUBLED);
    let isUnseen = false;
    for (let tried = 0; tried < RESTARTS && !isUnseen; tried += 1)
      isUnseen = await isRestartUnseen(both, TROUBLED);
    expect(isUnseen).toBe(true);
    endTrouble();
    await both.untilFiring([]);

    main.faults.add({ kind: 'status', status: 401 });
    await both.untilFiring(REJECTED);
    main.faults.clear();
    await both.untilFiring([]);

    main.faults.add({ kind: 'status', status: 403, endpoint: 'service/retrieve' });
    await both.untilFiring(FORBIDDEN);
    main.faults.clear();
    await both.untilFiring([]);

    const refused = { kind: 'rate_limit', endpoint: 'proxy_test_run', tell: 'message' } as const;
    main.faults.add({ ...refused, seconds: REFUSED_SECONDS, count: 1 });
    await both.untilFiring(REFUSED);
    await both.untilFiring([]);

    main.faults.add({ kind: 'status', status: 503 });
    other.faults.add({ kind: 'slow', delay_ms: HOUR });
    await both.untilFiring(DOWN);
    main.faults.clear();
    other.faults.clear();
    await both.untilFiring([]);

    // Nothing fired between these steps either, and nothing twice.
    const fires = [...FAILING, ...TROUBLED, ...REJECTED, ...FORBIDDEN, ...REFUSED, ...DOWN].toSorted();
    const expected = [...new Set(fires)];
    const fired = both.notices.filter(({ status }) => status === 'firing').map(({ name }) => name);
    expect(fired.toSorted()).toEqual(fires);
    // Scrapes that a busy machine misses are nothing that the daemon could know of.
    const held = (await both.everFired()).filter((name) => !name.startsWith('ProxywatchDown'));
    expect(held).toEqual(expected);
  });
});
