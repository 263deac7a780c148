// Tests probes through real proxies: phase and cause of every row of the table, one connection each, and the bytes.

import { isIP } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProbe } from '../../../src/prober/make-probe.ts';
import type { ProbeResult } from '../../../src/prober/probe.ts';
import { describeWith } from '../with-programs.ts';
import { type Lab, PROGRAMS, startLab } from './lab.ts';
import { type Relay, startRelay } from './relay.ts';
import { proxyOf, type Row, requestOf } from './row.ts';
import { ROWS } from './rows.ts';
import { CLOSED_PORT } from './targets.ts';

/** TLS ends with an alert in a record of 24 bytes, which a probe does not wait for. */
const TLS_ALERT_BYTES = 24;
/** After TLS is established, the target sends tickets for later sessions. */
const TLS_TICKET_BYTES = 2_000;
/** What the buffers of sockets hold. A probe that ends midway leaves them full. */
const BUFFERED_BYTES = 16e6;

/** How many bytes more than the probe the relay may have counted toward the prober. */
const unreadBytes = ({ outcome, depth, url, proxy, title, expect }: Row, { targets }: Lab): number => {
  if (title.startsWith('long body')) return BUFFERED_BYTES;
  if (depth === 'tunnel' && !proxy?.includes('TLS')) return 0;
  if (outcome !== 'success' || depth === 'tls' || !expect?.body) return TLS_TICKET_BYTES;
  const isTargetSecure = url(targets).startsWith('https');
  return TLS_ALERT_BYTES * (Number(proxy?.includes('TLS')) + 2 * Number(isTargetSecure));
};

const nameOf = ({ proxy, depth, title, outcome }: Row): string =>
  `${proxy ?? 'no proxy'}, ${depth}, ${title}: ${outcome}`;

const probe = async (row: Row, lab: Lab): Promise<ProbeResult> => {
  const proxy = proxyOf(row, lab);
  if (!proxy || proxy.port === CLOSED_PORT) return makeProbe(requestOf(row, lab, proxy));
  const host = isIP(proxy.host) === 0 ? '127.0.0.1' : proxy.host;
  await using relay = await startRelay(host, proxy.port);
  const result = await makeProbe(requestOf(row, lab, { ...proxy, port: relay.port }));
  await expectCounted(row, lab, relay, result);
  return result;
};

const expectCounted = async (row: Row, lab: Lab, relay: Relay, { bytes }: ProbeResult): Promise<void> => {
  await relay.ended();
  expect(relay.connections).toBe(1);
  expect(bytes.sent).toBe(relay.sent);
  expect(bytes.received).toBeLessThanOrEqual(relay.delivered);
  expect(bytes.received).toBeGreaterThanOrEqual(relay.delivered - unreadBytes(row, lab));
};

const outcomeOf = ({ failure }: ProbeResult): string =>
  failure ? `${failure.phase}_${failure.cause}` : 'success';

describeWith(
  PROGRAMS,
  'a probe through a real proxy',
  () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await startLab();
    });
    afterAll(() => lab[Symbol.asyncDispose]());

    test.each(ROWS.map((row): [string, Row] => [nameOf(row), row]))('%s', async (_name, row) => {
      const result = await probe(row, lab);
      expect({ outcome: outcomeOf(result), message: result.failure?.message }).toMatchObject({
        outcome: row.outcome,
      });
      if (row.message) expect(result.failure?.message).toMatch(row.message);
      expect(result.proxyAnswer?.status).toBe(row.proxyStatus);
      expect(result.status ?? undefined).toBe(row.status);
    });
  },
  { concurrent: true },
);
