// Tests probes on request: what is configured, the shared byte budget, and what is shared for 30 seconds.

import { describe, expect, it } from 'vitest';
import type { ProbeAnswer, ProbeOnRequest } from '../../../src/http/daemon-view.ts';
import { DAY, MINUTE, SECOND } from '../../../src/lib/time.ts';
import type { Harness } from '../../support/harness.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, gateways, staticProxies } from './probes-harness.ts';

const REQUEST: ProbeOnRequest = { account: undefined, proxy: 'p1', url: 'check' };

const request = ({ app }: Harness, wanted: Partial<ProbeOnRequest> = {}): Promise<ProbeAnswer> =>
  app.probeRequests.probe({ ...REQUEST, ...wanted });

const textOf = (answer: ProbeAnswer): string => ('text' in answer ? answer.text : JSON.stringify(answer));

const bytesOf = ({ bytes: { sent, received } }: typeof passed): number => sent + received;

describe('a probe on request', () => {
  it('answers with the result, also if the probe failed', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober);
    prober.take();
    prober.answer = ({ target }) => (target === '/shop' ? failed('tunnel', 'credentials') : passed);
    expect(textOf(await request(harness))).toContain('probe_success 1\n');
    const failedText = textOf(await request(harness, { url: 'shop' }));
    expect(failedText).toContain('probe_success 0\n');
    expect(failedText).toContain('probe_failure_info{phase="tunnel",cause="credentials",code="200"} 1\n');
    expect(prober.take()).toEqual(['192.0.2.1 /check', '192.0.2.1 /shop']);
  });

  it('is shared for 30 seconds', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober);
    prober.take();
    await request(harness);
    harness.clock.advance(29 * SECOND);
    expect(textOf(await request(harness))).toContain('probe_result_age_seconds 29\n');
    expect(prober.take()).toHaveLength(1);
    harness.clock.advance(SECOND);
    await request(harness);
    expect(prober.take()).toHaveLength(1);
  });

  it('reaches nothing that is not configured', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober);
    prober.take();
    const mistakes = await Promise.all([
      request(harness, { url: 'https://www.example.com/check' }),
      request(harness, { proxy: '192.0.2.1:8000:alice:hunter2' }),
      request(harness, { proxy: 'p3' }),
      request(harness, { account: 'alice:hunter2' }),
    ]);
    const [unknownUrl, unknownProxy] = [mistakes[0], mistakes[1]];
    expect(unknownUrl).toEqual({ mistake: expect.stringMatching(/^url: not the name/) });
    expect(unknownProxy).toEqual({ mistake: expect.stringMatching(/^proxy: not one of/) });
    expect(mistakes.slice(2)).toEqual([
      unknownProxy,
      { mistake: 'account: not the name of a configured account' },
    ]);
    expect(JSON.stringify(mistakes)).not.toMatch(/hunter2|www/);
    expect(prober.take()).toEqual([]);
  });

  it.each([
    [10_000, 9_500],
    [500, 250],
    [60_000, 15_000],
    [undefined, 15_000],
  ])('of a client that waits %s ms ends after %i ms', async (waitsMs, total) => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober);
    prober.take();
    await request(harness, { waitsMs });
    expect(prober.made[0]?.request.timeouts.total).toBe(total);
  });

  it('is refused above parallel', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, { probes: { proxies: staticProxies(3), parallel: 2 } });
    const answers = await Promise.all(['p1', 'p2', 'p3'].map((proxy) => request(harness, { proxy })));
    expect(answers.map((answer) => 'text' in answer)).toEqual([true, true, false]);
    expect(answers[2]).toMatchObject({ retryAfterS: 30 });
  });

  it('counts its bytes, and changes no result of the rounds', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober);
    prober.answer = () => failed('connect', 'refused');
    await request(harness);
    await harness.advance(0);
    const results = await harness.app.store.tests.cells('probes/main', ['p1']);
    expect(results.map(({ isSuccessful, results }) => [isSuccessful, results])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    const bytes = await harness.app.store.probes.bytes('probes/main', ['check']);
    expect(bytes.get('check')?.sent.net).toBe(2 * 1_000 + 200);
  });
});

describe('the byte budget', () => {
  it('allows as many requests at the same time as there are upper bounds in it', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, {
      probes: { proxies: gateways(3), max_bytes_per_day: '5MB', schedule: '0 0 1 1 *' },
    });
    const answers = await Promise.all(
      ['g1', 'g2', 'g3'].map((proxy) => request(harness, { proxy, url: 'shop' })),
    );
    expect(answers.map((answer) => 'text' in answer)).toEqual([true, true, true]);
  });

  it('holds for requests and rounds together, over a day of requests at all times', async () => {
    const prober = new FakeProber();
    const [budget, gap] = [3 * 1024 * 1024, MINUTE];
    let bytes = 0;
    prober.answer = () => {
      bytes += bytesOf(passed);
      return passed;
    };
    await using harness = await buildProbes(prober, {
      probes: { proxies: gateways(4), max_bytes_per_day: budget, schedule: '*/10 * * * *' },
    });
    const end = harness.clock.now() + DAY - 10 * MINUTE;
    let refused = 0;
    while (harness.clock.now() < end) {
      const round = harness.advance(gap);
      const answers = await Promise.all(
        ['g1', 'g2', 'g3', 'g4'].map((proxy) => request(harness, { proxy, url: 'shop' })),
      );
      refused += answers.filter((answer) => 'refusal' in answer).length;
      await round;
    }
    expect(refused).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(budget);
    expect(bytes).toBeGreaterThan(budget / 2);
  });
});
