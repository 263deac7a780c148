// The rows of the table of probes that fail after the tunnel is open: in TLS with the target, or by its answer.

import { TextPattern } from '../../../src/lib/text-pattern.ts';
import type { Expectation } from '../../../src/prober/probe.ts';
import type { ProxyName } from './lab.ts';
import type { ErrorCode, Row } from './row.ts';
import type { TargetPorts } from './targets.ts';

/** One proxy of each kind. */
const PROXIES = [
  'squid',
  'tinyproxy',
  'squid over TLS',
  'microsocks',
  'danted',
] as const satisfies ProxyName[];

type Failure = Omit<Row, 'proxy' | 'proxyStatus'>;

const named =
  (name: string): Row['url'] =>
  ({ https }) =>
    `https://${name}:${https}/`;
const broken =
  (port: keyof TargetPorts): Row['url'] =>
  (ports) =>
    `https://127.0.0.1:${ports[port]}/`;

const inTls = (title: string, url: Row['url'], outcome: ErrorCode, rest: Partial<Row> = {}): Failure => ({
  ...{ title, url, outcome, depth: 'tls' },
  ...rest,
});

const TLS: readonly Failure[] = [
  inTls('certificate expired', named('expired.example'), 'tls_certificate'),
  inTls('certificate of another name', named('wrong-name.example'), 'tls_certificate'),
  inTls('certificate of an unknown authority', named('unknown-ca.example'), 'tls_certificate'),
  inTls('certificate not of the usual authorities', named('check.example'), 'tls_certificate', {
    trust: 'usual for the target',
  }),
  inTls('target that never answers', broken('silent'), 'tls_timeout', { limits: { tls: 300 } }),
  inTls('target without TLS', broken('garbage'), 'tls_protocol'),
  inTls('target that closes', broken('closing'), 'tls_closed'),
];

const inResponse = (
  title: string,
  path: string,
  outcome: ErrorCode,
  expect: Expectation,
  rest: Partial<Row> = {},
): Failure => ({
  ...{ title, outcome, expect, depth: 'http', url: ({ https }) => `https://check.example:${https}${path}` },
  ...rest,
});

/** Long enough to receive the header of an answer on a busy machine. */
const soon = { limits: { response: 2_000 } };

const RESPONSES: readonly Failure[] = [
  inResponse('status', '/status/503', 'response_status', {}, { status: 503 }),
  inResponse('status that is not expected', '/', 'response_status', { status: [204] }, { status: 200 }),
  inResponse('status of another class', '/status/404', 'response_status', {}, { status: 404 }),
  inResponse(
    'header missing',
    '/',
    'response_header',
    { headers: { 'x-other': new TextPattern('.') } },
    { status: 200 },
  ),
  inResponse(
    'header wrong',
    '/',
    'response_header',
    { headers: { 'x-check': new TextPattern('^no$') } },
    { status: 200 },
  ),
  inResponse('body wrong', '/', 'response_body', { body: new TextPattern('never') }, { status: 200 }),
  inResponse('no answer', '/slow', 'response_timeout', {}, soon),
  inResponse(
    'answer that never ends',
    '/endless',
    'response_timeout',
    { body: new TextPattern('never$') },
    { ...soon, status: 200 },
  ),
];

const accepted = (title: string, path: string, expect: Expectation, status: number): Failure => ({
  ...inResponse(title, path, 'response_status', expect, { status }),
  outcome: 'success',
});

/** Answers that the probe does not read to their end. */
const CUT: readonly Failure[] = [
  accepted('status that is expected', '/status/503', { status: [503] }, 503),
  accepted('long body that no expectation needs', '/large', {}, 200),
  accepted('long body with an early match', '/large', { body: new TextPattern('xxx') }, 200),
  accepted('body that never ends', '/endless', {}, 200),
];

/** Proxies do not pass a reset on, so only a probe without a proxy shows it. */
const DIRECT: readonly Row[] = [
  inTls('target that never answers', broken('silent'), 'tls_timeout', { limits: { tls: 300 } }),
  inTls('target without TLS', broken('garbage'), 'tls_protocol'),
  inTls('target that closes', broken('closing'), 'tls_closed'),
  inTls('target that resets', broken('resetting'), 'tls_reset'),
].map((failure) => ({ ...failure, proxy: null }));

const throughProxies = PROXIES.flatMap((proxy) =>
  [...TLS, ...RESPONSES, ...CUT].map((failure): Row => {
    const proxyStatus = proxy === 'microsocks' || proxy === 'danted' ? 0 : 200;
    return { ...failure, proxy, proxyStatus };
  }),
);

export const TARGET_FAILURES: readonly Row[] = [...throughProxies, ...DIRECT];
