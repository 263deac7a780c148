// Tests that uptime tells a proxy's own failures from those of targets, testers and the provider, over the API.

import { describe, expect, it } from 'vitest';
import { createView } from '../../../src/daemon/http-view.ts';
import { type HttpServer, startHttpServer } from '../../../src/http/server.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { Harness } from '../../support/harness.ts';
import { buildTests, entries, FRANKFURT, hostOf, LONDON } from './tests-harness.ts';

const SLOT = 10 * MINUTE;
const EXAMPLE = 'https://www.example.com/';

interface Uptime {
  readonly results: number;
  readonly successes: number;
  readonly ratio: number;
  readonly own_failures: number | null;
  readonly other_failures: number | null;
  readonly unattributed_failures: number | null;
  readonly own_ratio: number | null;
}

interface Details {
  readonly verdict: string;
  readonly verdict_text: string;
  readonly uptime: Record<string, Uptime>;
  readonly inventory: Record<string, unknown> | null;
  readonly tests: readonly Record<string, unknown>[];
  readonly data: readonly (Uptime & { readonly at: string })[];
}

const serve = ({ app, clock }: Harness): Promise<HttpServer> =>
  startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    view: createView({ app, clock, version: '0.0.0-test' }),
    reload: async () => ({ result: 'no_file' }),
    clock,
    log: silentLog,
  });

const answerOf = async ({ address }: HttpServer, path: string): Promise<Details> => {
  const response = await fetch(`http://127.0.0.1:${address.port}/api/v1/accounts/main/${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as Details;
};

const dayOf = async (server: HttpServer, path: string): Promise<Uptime> => {
  const { uptime } = await answerOf(server, path);
  expect(uptime['90d']).toEqual(uptime['24h']);
  return uptime['24h'] as Uptime;
};

/** Runs three sound rounds, then four with these outages. */
const runOutages = async (outages: NonNullable<ScenarioInput['outages']>, count = 6): Promise<Harness> => {
  const harness = await buildTests({ tests: { proxies: entries(count) } });
  await harness.advance(SLOT);
  await harness.advance(SLOT);
  for (const outage of outages) harness.simulator.outages.add(outage);
  for (let round = 0; round < 4; round += 1) await harness.advance(SLOT);
  return harness;
};

describe('a target that is blocked for all proxies', () => {
  it('costs sound proxies and testers uptime, but nothing of their own', async () => {
    await using harness = await runOutages([{ kind: 'target', subject: 'www.example.com' }]);
    await using server = await serve(harness);
    for (const path of [...[0, 1, 2, 3, 4, 5].map((n) => `proxies/p${n}`), `testers/${LONDON}`]) {
      const day = await dayOf(server, path);
      expect(day.ratio).toBeLessThan(0.8);
      expect(day).toMatchObject({ own_failures: 0, unattributed_failures: 0, own_ratio: 1 });
      expect(day.other_failures).toBe(day.results - day.successes);
    }
    const target = await answerOf(server, `targets/${encodeURIComponent(EXAMPLE)}`);
    const { results, successes } = target.uptime['24h'] as Uptime;
    expect(target.uptime['24h']).toMatchObject({ own_failures: results - successes, other_failures: 0 });
    expect(target).toMatchObject({ verdict: 'target_at_fault' });
    expect(await answerOf(server, 'targets/shop')).toMatchObject({
      verdict: 'ok',
      verdict_text: expect.stringMatching(/^All \d+ tests of the last 24 hours succeeded\.$/),
    });
    expect(await answerOf(server, 'proxies/p1')).toMatchObject({
      verdict: 'target_at_fault',
      verdict_text: `2 of 4 tests fail because the target ${EXAMPLE} is at fault: 100% of 6 proxies fail at this target and pass at others. Next: open the target without a proxy; if it works there, use other proxies for it.`,
    });
  });
});

describe('a proxy that is down', () => {
  it('has failures of its own from the round that shows the fault, and costs others nothing', async () => {
    await using harness = await runOutages([{ kind: 'proxy', subject: hostOf(0) }]);
    await using server = await serve(harness);
    const day = await dayOf(server, 'proxies/p0');
    // The first of the four failing rounds could have been chance: fault_after is 2.
    expect(day).toMatchObject({ own_failures: 12, other_failures: 0, unattributed_failures: 4 });
    expect(day.own_ratio).toBeCloseTo(1 - 12 / day.results);
    expect(await dayOf(server, 'proxies/p1')).toMatchObject({ own_failures: 0, own_ratio: 1, ratio: 1 });
    for (const path of ['targets/shop', `testers/${FRANKFURT}`])
      expect(await dayOf(server, path)).toMatchObject({ own_failures: 0, own_ratio: 1, other_failures: 6 });
    expect(await answerOf(server, 'proxies/p0')).toMatchObject({
      verdict: 'proxy_at_fault',
      verdict_text: expect.stringMatching(/^The proxy p0 is at fault since .*: 4 of 4 tests fail, 4 rounds/),
      inventory: null,
      tests: expect.arrayContaining([
        expect.objectContaining({ last_outcomes: [false, false, false, false, true, true, true] }),
      ]),
    });
    expect(await answerOf(server, 'proxies/p1')).toMatchObject({
      verdict: 'ok',
      verdict_text: expect.stringMatching(/^All 4 tests of the newest round \(.* UTC\) succeeded\.$/),
    });
  });

  it('has failures of its own at a blocked target too', async () => {
    await using harness = await runOutages([
      { kind: 'proxy', subject: hostOf(0) },
      { kind: 'target', subject: 'www.example.com' },
    ]);
    await using server = await serve(harness);
    // The first failing round counts for the target, because only later ones show that the proxy is dead.
    expect(await dayOf(server, 'proxies/p0')).toMatchObject({
      ...{ own_failures: 12, other_failures: 2, unattributed_failures: 2 },
    });
    expect(await answerOf(server, 'proxies/p0')).toMatchObject({
      verdict: 'proxy_at_fault',
      verdict_text: expect.stringMatching(/: 4 of 4 tests fail, 4 rounds in a row;/),
    });
    expect(await dayOf(server, 'proxies/p1')).toMatchObject({ own_failures: 0, other_failures: 8 });
  });

  it('has a history by hour and by day, with the same failures', async () => {
    await using harness = await runOutages([{ kind: 'proxy', subject: hostOf(0) }]);
    await harness.advance(HOUR);
    await using server = await serve(harness);
    const day = await dayOf(server, 'proxies/p0');
    for (const [step, points] of [
      ['hour', 24],
      ['day', 90],
    ] as const) {
      const { data } = await answerOf(server, `proxies/p0/history?step=${step}`);
      expect(data).toHaveLength(points);
      const sum = (name: 'results' | 'own_failures' | 'unattributed_failures') =>
        data.reduce((total, point) => total + (point[name] ?? Number.NaN), 0);
      const { results, own_failures, unattributed_failures } = day;
      expect([sum('results'), sum('own_failures'), sum('unattributed_failures')]).toEqual([
        ...[results, own_failures, unattributed_failures],
      ]);
    }
  });
});

describe('an outage of the provider', () => {
  it('costs no proxy anything of its own', async () => {
    const subjects = Array.from({ length: 12 }, (_, index) => hostOf(index));
    await using harness = await runOutages(
      subjects.map((subject) => ({ kind: 'proxy' as const, subject })),
      12,
    );
    await using server = await serve(harness);
    const day = await dayOf(server, 'proxies/p3');
    expect(day).toMatchObject({ own_failures: 0, own_ratio: 1, unattributed_failures: 0 });
    expect(await answerOf(server, 'proxies/p3')).toMatchObject({ verdict: 'provider_at_fault' });
  });
});
