// Tests that Prometheus and vmalert with the generated rules and the daemon's own evaluation agree on alerts, step by step.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { proxyAddress } from '../../src/simulator/identities.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { accountsAt, SCENARIO, SERVICE_ID, USER_IDS } from './agreement-accounts.ts';
import { DelayedClock, Evaluations } from './evaluations.ts';
import { TOOL } from './victoria-programs.ts';
import { describeWith } from './with-programs.ts';

const TESTER = 'singapore-1-digitalocean-proxytester-1';
/** On a busy machine, most restarts take longer than the second between two scrapes. */
const RESTARTS = 15;

const FAILING = [
  'ProxiesFailing critical account=main product_type=isp',
  'ProxyFailing warning account=main proxy_id=p1',
  'ProxyFailing warning account=main proxy_id=p2',
];
const mobileQuotas = (alert: string): string[] =>
  USER_IDS.map((id) => `${alert} warning account=main product_type=mobile proxy_user_id=${id}`);
const PROBLEMS = [
  `ProxyTesterFailing info account=main tester_server=${TESTER}`,
  'ProxyTargetBlocked warning account=main url=shop.example',
  `ServiceExpiringSoon warning account=main service_id=${SERVICE_ID}`,
  'ResidentialBalanceExhausted critical account=main',
  ...mobileQuotas('ProxyUserQuotaExhausted'),
  'TrafficStopped critical account=main graph=isp',
];
const LOW = mobileQuotas('ProxyUserQuotaLow');
const REJECTED = ['ProviderKeysRejected critical account=main'];
const FORBIDDEN = [
  'CollectorFailing warning account=main collector=services',
  'ProviderEndpointForbidden warning account=main api_endpoint=service/retrieve',
];
const REFUSED = ['TestQuotaRefused warning account=main collector=proxy_tests'];
/** Long enough for a scrape and for a notification. */
const REFUSED_SECONDS = 20;
/** All collectors of the account `main` fail, but only the outage is reported, and not before it has lasted for long enough. */
const DOWN = [
  'ProviderUnreachable critical account=main',
  'DataStale warning account=other collector=catalog',
];

/**
 * Makes a tester and a target fail, a service expire, the balance and users run out, and a graph stop. Returns a
 * function that ends all of it.
 */
const causeProblems = ({ faults, outages, changes }: Simulator): (() => void) => {
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

/** Makes all users use this share of a mobile quota. It is large, because a fall of the use must be confirmed. */
const useMobileQuota = ({ faults }: Simulator, share: number): void => {
  faults.clear();
  const fields = { proxy_user_mobile_bytes_limit: 1e15, proxy_user_mobile_bytes_used: share * 1e15 };
  faults.add({ kind: 'set_fields', endpoint: 'proxy_user', fields });
};

/** Restarts the daemon. Returns whether that was between two scrapes, so that Prometheus could not observe it. */
const isRestartHidden = async (evaluation: Evaluations, firing: readonly string[]): Promise<boolean> => {
  const [before, notificationCount] = [await evaluation.startTimes(), evaluation.notifications.length];
  const isHidden = await evaluation.restart();
  await evaluation.waitUntilFiring(firing);
  const after = await evaluation.startTimes();
  expect(after.daemon).toEqual(before.daemon);
  expect(evaluation.notifications.length).toBe(notificationCount);
  if (isHidden) expect(after.prometheus).toEqual(before.prometheus);
  return isHidden;
};

describeWith(['prometheus', TOOL], 'Prometheus, vmalert and the daemon', () => {
  test('report the same alerts about the same subjects, and no others', async () => {
    const clock = new DelayedClock(HOUR);
    await using main = await startSimulator({ scenario: SCENARIO, now: clock.now });
    await using other = await startSimulator({ scenario: SCENARIO, now: clock.now });
    await using evaluation = await Evaluations.start(accountsAt(main, other), clock);
    await evaluation.waitUntilFiring([]);

    for (const index of [1, 2]) main.outages.add({ kind: 'proxy', subject: proxyAddress(index).host });
    await evaluation.waitUntilFiring(FAILING);
    main.outages.clear();
    await evaluation.waitUntilFiring([]);

    useMobileQuota(main, 0.85);
    await evaluation.waitUntilFiring(LOW);
    useMobileQuota(main, 0.95);
    await evaluation.waitUntilRisen(LOW);
    await evaluation.waitUntilFiring(LOW);
    main.faults.clear();

    const endProblems = causeProblems(main);
    await evaluation.waitUntilFiring(PROBLEMS);
    let isHidden = false;
    for (let attempt = 0; attempt < RESTARTS && !isHidden; attempt += 1)
      isHidden = await isRestartHidden(evaluation, PROBLEMS);
    expect(isHidden).toBe(true);
    endProblems();
    await evaluation.waitUntilFiring([]);

    main.faults.add({ kind: 'status', status: 401 });
    await evaluation.waitUntilFiring(REJECTED);
    main.faults.clear();
    await evaluation.waitUntilFiring([]);

    main.faults.add({ kind: 'status', status: 403, endpoint: 'service/retrieve' });
    await evaluation.waitUntilFiring(FORBIDDEN);
    main.faults.clear();
    await evaluation.waitUntilFiring([]);

    const refused = { kind: 'rate_limit', endpoint: 'proxy_test_run', tell: 'message' } as const;
    main.faults.add({ ...refused, seconds: REFUSED_SECONDS, count: 1 });
    await evaluation.waitUntilFiring(REFUSED);
    await evaluation.waitUntilFiring([]);

    main.faults.add({ kind: 'status', status: 503 });
    other.faults.add({ kind: 'slow', delay_ms: HOUR });
    await evaluation.waitUntilFiring(DOWN);
    main.faults.clear();
    other.faults.clear();
    await evaluation.waitUntilFiring([]);

    // No other alert fired between these steps, and none fired twice.
    const expectedNotifications = [
      ...FAILING,
      ...LOW,
      ...PROBLEMS,
      ...REJECTED,
      ...FORBIDDEN,
      ...REFUSED,
      ...DOWN,
    ].toSorted();
    const expected = [...new Set(expectedNotifications)];
    const fired = evaluation.notifications
      .filter(({ status }) => status === 'firing')
      .map(({ name }) => name);
    expect(fired.toSorted()).toEqual(expectedNotifications);
    // The daemon cannot know about scrapes that a busy machine misses.
    const [inPrometheus, inVmalert] = [
      await evaluation.everFired('prometheus'),
      await evaluation.everFired('vmalert'),
    ];
    for (const fired of [inPrometheus, inVmalert]) {
      const names = [...fired.keys()].filter((name) => !name.startsWith('ProxywatchDown'));
      expect(names.toSorted()).toEqual(expected);
    }
    // Most alerts fire at the same evaluation or the next one. A busy machine scrapes and evaluates late.
    const secondsLater = expected.map((name) => (inVmalert.get(name) ?? 0) - (inPrometheus.get(name) ?? 0));
    const sorted = secondsLater.map(Math.abs).toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(3);
  });
});
