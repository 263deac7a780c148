// Tests a round of probes: what is probed in which order, what is stored and exposed, and how controls decide.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { recordingLog } from '../single-collector.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, gateways, START, staticProxies } from './probes-harness.ts';

const SLOT = 5 * MINUTE;
const SUCCESS = 'proxywatch_proxy_test_success';
const cell = (proxy_id: string, url: string) => ({ proxy_id, url, tester_server: 'local', protocol: 'http' });

describe('a round', () => {
  it('probes each proxy at each url, and stores the results with the vantage as the tester', async () => {
    const prober = new FakeProber();
    prober.answer = ({ at, target }) =>
      at === '192.0.2.2' && target === '/shop' ? failed('tunnel', 'target_refused') : passed;
    await using harness = await buildProbes(prober);
    expect(prober.take().sort()).toEqual([
      ...['192.0.2.1 /check', '192.0.2.1 /shop', '192.0.2.2 /check', '192.0.2.2 /shop'],
    ]);
    const samples = await harness.samples();
    expect(samples.value(SUCCESS, cell('p1', 'shop'))).toBe(1);
    expect(samples.value(SUCCESS, cell('p2', 'shop'))).toBe(0);
    expect(samples.value('proxywatch_proxy_test_errors_total')).toBe(1);
    expect(samples.all('proxywatch_proxy_test_errors_total')[0]?.labels).toMatchObject({
      ...{ url: 'shop', tester_server: 'local', error_source: 'target', error_code: 'tunnel_target_refused' },
    });
  });

  it('has the credentials of each proxy and the depth of each url', async () => {
    const prober = new FakeProber();
    await using _harness = await buildProbes(prober, {
      probes: {
        urls: [{ name: 'plain', url: 'http://www.example.com/' }, 'https://www.example.com/'],
        proxies: [{ proxy: 'https://192.0.2.1:8443' }, { proxy: '192.0.2.2:8000:alice:hunter2' }],
        timeout: '9s',
      },
    });
    const requests = prober.made.map(({ request }) => request);
    expect(requests.map(({ target }) => target.depth).sort()).toEqual(['http', 'http', 'tls', 'tls']);
    expect(requests.every(({ timeouts }) => timeouts.total === 9_000 && timeouts.resolve === 5_000)).toBe(
      true,
    );
    const proxies = new Map(requests.map(({ proxy }) => [proxy?.host, proxy]));
    expect(proxies.get('192.0.2.1')).toMatchObject({ protocol: 'https', credentials: undefined });
    expect(proxies.get('192.0.2.2')?.credentials?.username).toBe('alice');
    expect(proxies.get('192.0.2.2')?.credentials?.password.reveal()).toBe('hunter2');
  });

  it('never has more connections than parallel', async () => {
    const prober = new FakeProber();
    await using _harness = await buildProbes(prober, { probes: { proxies: staticProxies(20), parallel: 3 } });
    expect(prober.made).toHaveLength(40);
    expect(prober.mostAtOnce).toBe(3);
  });

  it('is repeated at each slot, and not by a restart', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober);
    prober.take();
    await harness.restart();
    expect(prober.take()).toEqual([]);
    await harness.advance(SLOT);
    expect(prober.take()).toHaveLength(4);
  });

  it('exposes the phases of each depth from 0 on', async () => {
    const prober = new FakeProber();
    prober.answer = () => failed('connect', 'refused');
    const urls = [{ name: 'check', url: 'https://www.example.com/' }];
    await using harness = await buildProbes(prober, { probes: { urls } });
    const counts = (await harness.samples()).all('proxywatch_probe_phase_seconds_count');
    expect(counts.map(({ labels, value }) => [labels.phase, value]).sort()).toEqual([
      ['connect', 2],
      ['tls', 0],
      ['tunnel', 0],
    ]);
  });

  it('exposes phases, bytes and refusals, which a restart does not change', async () => {
    const prober = new FakeProber();
    prober.answer = ({ at }) =>
      at === '192.0.2.2' ? failed('tunnel', 'quota', { refusal: 'quota' }) : passed;
    await using harness = await buildProbes(prober);
    await harness.restart();
    const samples = await harness.samples();
    const url = 'check';
    expect(samples.value('proxywatch_probe_phase_seconds_count', { url, phase: 'connect' })).toBe(2);
    expect(samples.value('proxywatch_probe_phase_seconds_sum', { url, phase: 'tls' })).toBeCloseTo(0.06);
    expect(samples.value('proxywatch_probe_bytes_total', { url, direction: 'sent' })).toBe(1_200);
    expect(samples.value('proxywatch_probe_bytes_total', { url, direction: 'received' })).toBe(4_300);
    expect(samples.value('proxywatch_probe_refusals_total', { class: 'quota' })).toBe(2);
    expect(samples.value('proxywatch_probe_refusals_total', { class: 'policy' })).toBe(0);
  });

  it('keeps the last failure with the request id', async () => {
    const prober = new FakeProber();
    const proxyAnswer = { status: 429, code: '4221', requestId: '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11' };
    prober.answer = () => failed('tunnel', 'quota', { proxyAnswer });
    await using harness = await buildProbes(prober, { probes: { proxies: staticProxies(1) } });
    const [last] = await harness.app.store.probes.failures('probes/main', 'p1');
    expect(last).toMatchObject({ phase: 'tunnel', cause: 'quota', ...proxyAnswer });
  });

  it('is a success although probes fail, and even if the prober itself fails', async () => {
    const prober = new FakeProber();
    prober.answer = ({ at }) => {
      if (at === '192.0.2.1') throw new Error('a bug');
      return passed;
    };
    await using harness = await buildProbes(prober);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success', { collector: 'probes' })).toBe(1);
    expect(samples.value(SUCCESS, cell('p1', 'check'))).toBe(0);
    expect(samples.value(SUCCESS, cell('p2', 'check'))).toBe(1);
  });

  it('ends when the daemon stops, and the proxies that were not probed come first in the next one', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, { probes: { proxies: staticProxies(3), parallel: 1 } });
    prober.take();
    let count = 0;
    prober.answer = ({ request: { signal } }) => {
      count += 1;
      if (count <= 2) return passed;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    harness.clock.advance(SLOT);
    harness.app.runner.tick();
    while (count < 3) await new Promise(setImmediate);
    await harness.app.runner.stop(0);
    const [first] = prober.take();
    prober.answer = () => passed;
    await harness.restart();
    const again = prober.take();
    expect(again).toHaveLength(4);
    expect(again).not.toContain(first);
  });
});

describe('the controls of a round', () => {
  const probes = { control: undefined, proxies: [...staticProxies(1), ...gateways(2)] };
  const CONTROL = 'proxywatch_probe_control_success';

  it('are the probes’ own urls without a proxy, and come first', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, { probes });
    expect(prober.take().slice(0, 2)).toEqual(['direct /check', 'direct /shop']);
    expect((await harness.samples()).all(CONTROL).map(({ value }) => value)).toEqual([1, 1]);
  });

  it('can be other urls', async () => {
    const prober = new FakeProber();
    const control = { urls: ['https://www.example.org/neutral'] };
    await using harness = await buildProbes(prober, { probes: { ...probes, control } });
    expect(prober.take().filter((made) => made.startsWith('direct'))).toEqual(['direct /neutral']);
    expect((await harness.samples()).all(CONTROL)[0]?.labels).toEqual({
      ...{ account: 'main', url: 'https://www.example.org/neutral' },
    });
  });

  it('spare metered proxies but one while the line is down, and the log says so once', async () => {
    const prober = new FakeProber();
    prober.answer = () => failed('connect', 'unreachable', { proxyAnswer: null });
    const log = recordingLog();
    await using harness = await buildProbes(prober, { probes, log });
    const controls = ['direct /check', 'direct /shop'];
    const made = prober.take().map((each) => each.replace(/^203\.0\.113\.\d/, 'metered'));
    expect(made).toEqual([
      ...[...controls, '192.0.2.1 /check', '192.0.2.1 /shop'],
      ...[...controls, 'metered /check', 'metered /shop', ...controls],
    ]);
    await harness.advance(SLOT);
    expect((await harness.samples()).all(CONTROL).map(({ value }) => value)).toEqual([0, 0]);
    prober.answer = () => passed;
    prober.take();
    await harness.advance(SLOT);
    expect(prober.take()).toContain('203.0.113.1 /check');
    const messages = log.lines.map(({ message }) => message).filter((message) => /control/.test(message));
    expect(messages).toEqual([
      expect.stringMatching(/^no control gets an answer, and no proxy answers, /),
      expect.stringMatching(/^the line of this machine works again: /),
    ]);
  });

  it('that fail make failures of their url undecided', async () => {
    const prober = new FakeProber();
    prober.answer = ({ target }) => (target === '/shop' ? failed('tls', 'timeout') : passed);
    await using harness = await buildProbes(prober, { probes });
    const sources = (await harness.samples()).all('proxywatch_proxy_test_errors_total');
    expect(sources.map(({ labels }) => labels['error_source'])).toEqual(['here']);
  });
});

describe('the proxies of a round', () => {
  it('are those of proxy_tests by default, and their results stay apart', async () => {
    const prober = new FakeProber();
    const proxy_tests = { urls: ['https://www.example.com/'], proxies: staticProxies(2) };
    await using harness = await buildProbes(prober, {
      probes: { proxies: undefined },
      account: { proxy_tests },
    });
    expect(prober.take()).toHaveLength(4);
    const testers = new Set(
      (await harness.samples()).all(SUCCESS).map(({ labels }) => labels['tester_server']),
    );
    expect(testers.size).toBeGreaterThan(1);
    const tests = await harness.app.store.tests.cells('main', ['p1']);
    expect(tests.map(({ tester }) => tester)).not.toContain('local');
    expect(await harness.app.store.tests.cells('probes/main', ['p1'])).toHaveLength(2);
  });

  it('can come from the provider, with the passwords that it answers', async () => {
    const prober = new FakeProber();
    await using _harness = await buildProbes(prober, { now: START, probes: { proxies: [{ search: {} }] } });
    expect(prober.made.length).toBeGreaterThan(0);
    expect(prober.made.every(({ request }) => request.proxy?.credentials)).toBe(true);
  });
});
