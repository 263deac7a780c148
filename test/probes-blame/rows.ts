// Lists what can go wrong with probes, and exactly what the daemon must then say is at fault.

import type { ListedProxy } from '../../src/simulator/proxies/simulated-proxy.ts';
import { type FailureCounts, lineOf, type World, type WorldOptions } from './world.ts';

export interface Row {
  readonly name: string;
  readonly options?: WorldOptions;
  readonly begin: (world: World) => Promise<void>;
  readonly end: (world: World) => Promise<void>;
  readonly faults: readonly string[];
  /** Faults until the proxy tests have found the same. */
  readonly meanwhile?: readonly string[];
  readonly alerts: readonly string[];
  /** By the number of a proxy: its verdict and a part of the text. */
  readonly verdicts: Readonly<Record<number, readonly [word: string, text: RegExp]>>;
  /** By the number of a proxy: whose failures its probes had in the end. */
  readonly failures?: Readonly<Record<number, FailureCounts>>;
}

const OK = ['ok', /^It passes from here and from the provider’s testers\.$/] as const;
/** The numbers of the proxies by their product type. */
const RESIDENTIAL = [2, 6, 10];
const ALL = Array.from({ length: 12 }, (_, index) => index);

const FAILING_HERE = [
  'inconclusive',
  /^No control gets an answer and no proxy answers, so this machine or its network connection is at fault\. .* It passes from the provider’s testers\. Next: check the network connection of this machine\.$/,
] as const;
const TARGET_FAILS_TOO = [
  'inconclusive',
  /the target also fails from here without a proxy \(response_status\), so its probes show nothing about the proxies\. It passes from the provider’s testers\. Next: open the target without a proxy\.$/,
] as const;
const OVER_QUOTA = [
  'unattributed',
  /^2 of 2 probes fail because a limit of the proxy user is exceeded: .*\. The proxy is not at fault\. It passes from the provider’s testers\. Next: check the limits and the remaining traffic of the proxy user\.$/,
] as const;
/** What follows when the proxies are named one by one. */
const unusable = (reason: string) =>
  [
    'unusable_here',
    new RegExp(
      `^The proxy p\\d+ is unusable from here since .*: it passes from the provider’s testers and fails from here: ${reason}\\. Next: .*\\.$`,
    ),
  ] as const;
const CREDENTIALS =
  'the proxy refuses the user name and password, or the address of this machine is not authorized \\(tunnel_credentials\\)';

const ALL_REFUSE =
  /: 12 of 12 proxies fail from here in the same way: the proxy refuses the user name and password, .* It passes from the provider’s testers\. Next: /;

const cutLines = async ({ lines, simulator }: World): Promise<void> => {
  for (const line of lines) await line.cut();
  await simulator.proxies.setFaults('*', [{ kind: 'refused' }]);
};
const mendLines = async ({ lines, simulator }: World): Promise<void> => {
  for (const line of lines) await line.mend();
  await simulator.proxies.setFaults('*', []);
};

/** Faults of the simulated proxies that `subject` names, and their end. */
const faulty = (
  subject: string,
  ...faults: readonly Record<string, unknown>[]
): Pick<Row, 'begin' | 'end'> => ({
  begin: ({ simulator }) => simulator.proxies.setFaults(subject, faults),
  end: ({ simulator }) => simulator.proxies.setFaults(subject, []),
});

const outage = (kind: 'proxy' | 'target', subject: (world: World) => string): Pick<Row, 'begin' | 'end'> => ({
  begin: async (world) => {
    world.simulator.outages.replace([{ kind, subject: subject(world) }]);
    await world.simulator.proxies.sync();
  },
  end: async ({ simulator }) => {
    simulator.outages.replace([]);
    await simulator.proxies.sync();
  },
});

/** Other lines of proxies for the probes than for the tests, until the operator corrects them. */
const misconfigured = (
  line: (proxy: ListedProxy) => string,
  concerns: (index: number) => boolean = () => true,
): Pick<Row, 'begin' | 'end'> => ({
  begin: (world) =>
    world.configure({
      probed: (proxies) => proxies.map((proxy, index) => (concerns(index) ? line(proxy) : lineOf(proxy))),
    }),
  end: (world) => world.configure({}),
});
const withWrongPassword = (proxy: ListedProxy): string => lineOf({ ...proxy, password: 'wr0ng' });
const withoutCredentials = ({ host, port }: ListedProxy): string => `http://${host}:${port}`;

export const ROWS: readonly Row[] = [
  {
    name: 'the line of this machine is down',
    ...{ begin: cutLines, end: mendLines },
    ...{ faults: [], alerts: ['ProbesFailingHere'] },
    verdicts: { 0: FAILING_HERE, 2: FAILING_HERE },
    // Two probes in each of eight rounds. While no control gets an answer, only one residential proxy is probed in each.
    failures: { 0: { own: 0, others: 16, unattributed: 0 }, 2: { own: 0, others: 4, unattributed: 0 } },
  },
  ...[{}, { tests: false } as const].map(
    (options: WorldOptions): Row => ({
      name: `the line of this machine goes down in the middle of a round: ${JSON.stringify(options)}`,
      options,
      begin: async ({ lines, simulator }) => {
        for (const line of lines) line.cutsAfterNext = true;
        await simulator.proxies.setFaults('*', [{ kind: 'refused' }]);
      },
      end: mendLines,
      ...{ faults: [], alerts: ['ProbesFailingHere'], verdicts: {} },
    }),
  ),
  {
    name: 'a firewall allows only the proxies',
    begin: async ({ lines }) => {
      for (const line of lines) await line.cut();
    },
    end: mendLines,
    ...{ faults: [], alerts: [], verdicts: { 0: OK, 2: OK } },
  },
  {
    name: 'a firewall allows only the proxies, and one of them is down for us',
    begin: async ({ lines, simulator }) => {
      for (const line of lines) await line.cut();
      await simulator.proxies.setFaults('203.0.113.4:8000', [{ kind: 'refused' }]);
    },
    end: async ({ lines, simulator }) => {
      for (const line of lines) await line.mend();
      await simulator.proxies.setFaults('203.0.113.4:8000', []);
    },
    ...{ faults: ['access p3 local'], alerts: ['ProxyUnusableHere'] },
    verdicts: { 2: OK, 3: unusable('the proxy refuses the connection from here \\(connect_refused\\)') },
  },
  {
    name: 'a firewall allows only the proxies, and all of them are metered',
    options: { productType: 'residential' },
    begin: async ({ lines }) => {
      for (const line of lines) await line.cut();
    },
    end: mendLines,
    ...{ faults: [], alerts: [], verdicts: {} },
  },
  {
    name: 'the targets answer 503 to the controls only',
    begin: (world) => world.configure({ controlPath: 'status/503' }),
    end: (world) => world.configure({}),
    ...{ faults: [], alerts: [], verdicts: { 0: OK, 2: OK } },
  },
  ...[['shop'], ['check', 'shop']].map(
    (urls): Row => ({
      name: `all targets answer 503 with and without proxies: ${urls.join(', ')}`,
      options: { urls },
      begin: async (world) => {
        const fault = { kind: 'target', answer: 503 };
        const targets = ['www.example.com', 'shop.example'];
        await world.simulator.proxies.setFaults(
          '*',
          targets.map((target) => ({ ...fault, target })),
        );
        await world.configure({ urls, controlPath: 'status/503' });
      },
      end: async (world) => {
        await world.simulator.proxies.setFaults('*', []);
        await world.configure({ urls });
      },
      faults: [],
      alerts: [urls.length === 1 ? 'ProbesInconclusive' : 'ProbesInconclusive × 2'],
      verdicts: { 0: TARGET_FAILS_TOO, 2: TARGET_FAILS_TOO },
    }),
  ),
  {
    name: 'the only target refuses connections, with and without proxies, and the provider’s testers reach it',
    options: { urls: ['shop'] },
    begin: async (world) => {
      await world.lines[1].cut();
      await world.simulator.proxies.setFaults('*', [
        { kind: 'target', target: 'shop.example', answer: 'close' },
      ]);
    },
    end: async ({ lines, simulator }) => {
      await lines[1].mend();
      await simulator.proxies.setFaults('*', []);
    },
    ...{ faults: [], alerts: ['ProbesInconclusive'], verdicts: {} },
  },
  {
    name: 'the only target refuses connections, with and without proxies, and the provider does not test it',
    options: { urls: ['shop'], tests: false },
    begin: async (world) => {
      await world.lines[1].cut();
      await world.simulator.proxies.setFaults('*', [
        { kind: 'target', target: 'shop.example', answer: 'close' },
      ]);
    },
    end: async ({ lines, simulator }) => {
      await lines[1].mend();
      await simulator.proxies.setFaults('*', []);
    },
    ...{ faults: ['target shop local'], alerts: ['ProxyTargetBlocked'] },
    verdicts: {
      0: [
        'target_at_fault',
        /target shop is at fault: it fails from here without a proxy, and behind the proxies too\. Next: /,
      ],
    },
  },
  {
    name: 'the line of this machine is down, and a proxy is down for the provider’s testers',
    begin: async (world) => {
      await cutLines(world);
      await outage('proxy', () => world.nameOf(3)).begin(world);
    },
    end: async (world) => {
      await mendLines(world);
      await outage('proxy', () => '').end(world);
    },
    faults: ['proxy p3'],
    alerts: ['ProbesFailingHere', 'ProxyFailing'],
    verdicts: {
      3: [
        'proxy_at_fault',
        /: 4 of 4 tests fail, \d rounds in a row; the testers report an error of the proxy: connection refused \(connection_refused\)\. Next: /,
      ],
    },
  },
  {
    name: 'one proxy is down',
    ...outage('proxy', (world) => world.nameOf(3)),
    ...{ faults: ['proxy p3'], meanwhile: ['proxy p3 local'], alerts: ['ProxyFailing'] },
    verdicts: {
      3: [
        'proxy_at_fault',
        /: 4 of 4 tests fail, \d rounds in a row; the testers report an error of the proxy: connection refused \(connection_refused\)\. Next: /,
      ],
      7: OK,
    },
  },
  {
    name: 'one proxy is down, and the provider does not test it',
    options: { tests: false },
    ...faulty('203.0.113.4:8000', { kind: 'refused' }),
    ...{ faults: ['proxy p3 local'], alerts: ['ProxyFailing'] },
    verdicts: {
      3: [
        'proxy_at_fault',
        /: 2 of 2 probes fail, \d rounds in a row: the proxy refuses the connection from here \(connect_refused\)\. Next: /,
      ],
    },
  },
  {
    name: 'one proxy refuses connections from here only',
    ...faulty('203.0.113.4:8000', { kind: 'refused' }),
    ...{ faults: ['access p3 local'], alerts: ['ProxyUnusableHere'] },
    verdicts: { 3: unusable('the proxy refuses the connection from here \\(connect_refused\\)'), 7: OK },
  },
  {
    name: 'a target is blocked through proxies only',
    ...faulty('*', { kind: 'target', target: 'shop.example', answer: 403 }),
    ...{ faults: ['target shop local'], alerts: ['ProxyTargetBlocked'] },
    verdicts: {
      0: [
        'target_at_fault',
        /target shop is at fault: blocked through proxies only: it works from here without a proxy .* It passes from the provider’s testers\. Next: /,
      ],
    },
  },
  {
    name: 'a target is down for everybody',
    begin: async (world) => {
      await world.lines[1].cut();
      await outage('target', () => 'shop.example').begin(world);
    },
    end: async (world) => {
      await world.lines[1].mend();
      await outage('target', () => '').end(world);
    },
    ...{ faults: ['target shop', 'target shop local'], alerts: ['ProxyTargetBlocked'] },
    verdicts: {
      0: [
        'target_at_fault',
        /target shop is at fault: 100% of 12 proxies fail at this target and pass at others\. Next: /,
      ],
    },
  },
  {
    name: 'a target fails with and without proxies, and the provider’s testers reach it',
    begin: async (world) => {
      await world.lines[1].cut();
      await world.simulator.proxies.setFaults('*', [
        { kind: 'target', target: 'shop.example', answer: 'close' },
      ]);
    },
    end: async (world) => {
      await world.lines[1].mend();
      await world.simulator.proxies.setFaults('*', []);
    },
    ...{ faults: [], alerts: ['ProbesInconclusive'] },
    verdicts: {
      0: [
        'inconclusive',
        /the target also fails from here without a proxy \(connect_refused\), so its probes show nothing about the proxies\. It passes from the provider’s testers\. Next: open the target without a proxy\.$/,
      ],
    },
    failures: { 0: { own: 0, others: 8, unattributed: 0 } },
  },
  {
    name: 'the credentials of one proxy are wrong here',
    ...misconfigured(withWrongPassword, (index) => index === 3),
    ...{ faults: ['access p3 local'], alerts: ['ProxyUnusableHere'] },
    verdicts: { 3: unusable(CREDENTIALS), 7: OK },
  },
  {
    name: 'the credentials of all proxies are wrong here, and the provider’s testers pass',
    ...misconfigured(withWrongPassword),
    faults: ALL.map((index) => `access p${index} local`).sort(),
    alerts: ['ProxyUnusableHere × 12'],
    verdicts: { 2: ['unusable_here', ALL_REFUSE], 3: ['unusable_here', ALL_REFUSE] },
  },
  {
    name: 'the address of this machine is not authorized',
    ...misconfigured(withoutCredentials, (index) => RESIDENTIAL.includes(index)),
    faults: RESIDENTIAL.map((index) => `access p${index} local`).sort(),
    alerts: ['ProxyUnusableHere × 3'],
    verdicts: { 2: unusable(CREDENTIALS), 3: OK },
  },
  {
    name: 'the quota of the residential user is exhausted',
    ...faulty('residential', { kind: 'code', code: 4221 }),
    ...{ faults: [], alerts: [], verdicts: { 2: OVER_QUOTA, 3: OK } },
  },
  {
    name: 'the quota of all users is exhausted',
    ...faulty('*', { kind: 'code', code: 4221 }),
    ...{ faults: [], alerts: [], verdicts: { 2: OVER_QUOTA, 3: OVER_QUOTA } },
  },
  {
    name: 'the policy refuses a target through residential proxies',
    ...faulty('residential', { kind: 'code', code: 4231, target: 'shop.example' }),
    ...{ faults: ['target shop local'], alerts: ['ProxyTargetBlocked'] },
    verdicts: {
      2: [
        'target_at_fault',
        /target shop is at fault: the provider’s policy refuses this target through these proxies\. It passes .* Next: /,
      ],
      3: OK,
    },
  },
  {
    name: 'the provider has no node for residential proxies',
    ...faulty('residential', { kind: 'code', code: 4511 }),
    faults: RESIDENTIAL.map((index) => `access p${index} local`).sort(),
    alerts: ['ProxyUnusableHere × 3'],
    verdicts: {
      2: unusable('the provider has no node for the options of the proxy \\(tunnel_no_node\\)'),
      3: OK,
    },
  },
  {
    name: 'the provider reports a fault of its own for all proxies',
    ...faulty('*', { kind: 'code', code: 5001 }),
    ...{ faults: ['provider local'], alerts: ['ProviderOutage'] },
    verdicts: {
      2: [
        'provider_at_fault',
        /the provider answers 100% of 12 proxies that it has no node for them, or that it has a fault of its own\. It passes .* Next: /,
      ],
    },
  },
  ...[{}, { probes: { control: false } }].map(
    (probes: WorldOptions): Row => ({
      name: `all proxies refuse this machine, and the provider does not test them: ${JSON.stringify(probes)}`,
      options: { ...probes, tests: false },
      ...faulty('*', { kind: 'refused' }),
      faults: ALL.map((index) => `access p${index} local`).sort(),
      alerts: ['ProxyUnusableHere × 12'],
      verdicts: {
        2: [
          'unusable_here',
          /: 12 of 12 proxies fail from here in the same way: the proxy refuses the connection from here \(connect_refused\)\. Next: /,
        ],
      },
    }),
  ),
];
