// Tests the order of time limits, logins without a user name, names that are too long, and masked traces.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createMask } from '../../src/prober/attempt.ts';
import { Phases } from '../../src/prober/phases.ts';
import { addressBytes } from '../../src/prober/socks5.ts';
import { FakeProxy } from './fake-proxy.ts';
import { proxyAt, run, TIMEOUTS } from './run-probe.ts';

const HOUR = 3_600_000;

describe('a time limit', () => {
  it('that is shorter than that of the phase before ends its phase', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const late: string[] = [];
    // The first check comes after the shortest limit, in the phase with a long one.
    const timeouts = { resolve: 50, connect: HOUR, tunnel: HOUR, tls: 100, response: HOUR, total: HOUR };
    const phases = new Phases(timeouts, ({ message }) => late.push(message));
    phases.begin('tunnel');
    vi.advanceTimersByTime(100);
    phases.begin('tls');
    vi.advanceTimersByTime(99);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(late).toEqual(['TLS with the target was not established within 0.1 s']);
    phases.finish();
  });

  it('begins after the wait for other names, also that of the whole probe', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const late: string[] = [];
    const timeouts = { resolve: 50, connect: 90, tunnel: HOUR, tls: HOUR, response: HOUR, total: 100 };
    const phases = new Phases(timeouts, ({ reason, message }) => late.push(`${reason}: ${message}`));
    phases.waitForTurn();
    vi.advanceTimersByTime(49);
    phases.begin('resolve');
    vi.advanceTimersByTime(49);
    phases.begin('connect');
    vi.advanceTimersByTime(50);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(late).toEqual([
      'timeout: the connection was not established within the time limit of the probe (0.1 s)',
    ]);
    expect(phases.finish()).toEqual({ phases: { resolve: 49, connect: 51 }, durationMs: 100 });
  });

  it('for everything holds while a probe waits for other names, and afterwards', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const late: string[] = [];
    const timeouts = { ...TIMEOUTS, resolve: 60, connect: HOUR, total: 100, deadline: 100 };
    const phases = new Phases(timeouts, ({ message }) => late.push(message));
    phases.waitForTurn();
    vi.advanceTimersByTime(59);
    phases.begin('resolve');
    phases.begin('connect');
    vi.advanceTimersByTime(40);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(late).toEqual(['the connection was not established within the time limit of the probe (0.1 s)']);
    phases.finish();
  });

  it('of the wait for other names is that of the lookup, and this machine is at fault', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const late: string[] = [];
    const phases = new Phases({ ...TIMEOUTS, resolve: 50 }, ({ reason }) => late.push(reason));
    phases.waitForTurn();
    vi.advanceTimersByTime(49);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(late).toEqual(['local']);
    phases.finish();
  });
});

describe('a login in the URL', () => {
  it.each([
    ['https://:token@host', 'http://:token@', ':token'],
    ['a user alone', 'http://alice@', 'alice:'],
  ])('of %s is sent', async (_, start, login) => {
    await using target = await FakeProxy.start((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    });
    await run({ url: `${start}127.0.0.1:${target.port}/`, depth: 'http' });
    const encoded = Buffer.from(login).toString('base64');
    expect(target.received[0]).toContain(`Authorization: Basic ${encoded}\r\n`);
  });
});

describe('the address of a target for SOCKS5', () => {
  it('has a name of at most 255 bytes', () => {
    expect(addressBytes('a'.repeat(255)).subarray(0, 2)).toEqual(Buffer.from([3, 255]));
    expect(() => addressBytes('a'.repeat(256))).toThrow('longer than the 255 bytes');
  });
});

describe('a line of the trace', () => {
  it('never shows the beginning of a secret', () => {
    const mask = createMask({
      ...{ proxy: proxyAt(1), timeouts: TIMEOUTS, signal: new AbortController().signal },
      target: { url: new Secret('https://www.example.com/'), depth: 'tunnel' },
    });
    for (let start = 480; start < 500; start += 1)
      expect(mask(`${'z'.repeat(start)}pa55word`)).toBe('[masked: the line repeats a secret]');
    expect(mask('z'.repeat(600))).toHaveLength(500);
  });
});
