// Tests the progress bar: on a terminal it stays below the log lines, and elsewhere it is not shown.

import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/cli/logger.ts';
import { progressBar, showWork } from '../../src/cli/progress-bar.ts';
import { SECOND } from '../../src/lib/time.ts';
import type { Job } from '../../src/schedule/job.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Harness } from '../support/harness.ts';

const CLEAR_LINE = '\r\u001b[K';
/** The dot matches the escape character. */
const PARTS = /\r.\[K|\n|[^\r\n]+/g;

/** Shows what a reader sees; it interprets only the escape codes that a bar uses. */
class Terminal extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  rows: string[] = [''];

  constructor(isTTY = true, columns = 80) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(text: string | Buffer, _encoding: string, done: () => void): void {
    for (const [part] of String(text).matchAll(PARTS)) {
      if (part === '\n') this.rows.push('');
      else if (part === CLEAR_LINE) this.rows[this.rows.length - 1] = '';
      else this.rows[this.rows.length - 1] += part;
    }
    done();
  }
}

describe('a bar', () => {
  it('stays below lines written at the same time, and is cleared at the end', () => {
    const terminal = new Terminal();
    {
      using bar = progressBar(terminal);
      const lines = bar.keepBelow(terminal);
      lines.write('before\n');
      expect(terminal.rows).toEqual(['before', '']);
      bar.show('half', 0.5);
      const half = `[${'#'.repeat(8)}${'.'.repeat(8)}]  50% half`;
      lines.write('first\n');
      lines.write('second\n');
      expect(terminal.rows).toEqual(['before', 'first', 'second', half]);
      bar.hide();
      lines.write('third\n');
      expect(terminal.rows).toEqual(['before', 'first', 'second', 'third', '']);
      bar.show('gone');
    }
    expect(terminal.rows.at(-1)).toBe('');
  });

  it('stays below a readable log', () => {
    const terminal = new Terminal();
    using bar = progressBar(terminal);
    const log = createLog({ level: 'info', format: 'pretty' }, bar.keepBelow(terminal));
    bar.show('working');
    log.info({ account: 'main' }, 'a line');
    expect(terminal.rows).toEqual([expect.stringMatching(/INFO: a line .*main/), 'working']);
  });

  it.each([80, 0])('never wraps on %i columns, because then it could not be cleared', (columns) => {
    const terminal = new Terminal(true, columns);
    using bar = progressBar(terminal);
    bar.show('x'.repeat(80), 0.5);
    expect(terminal.rows.at(-1)).toHaveLength(79);
  });

  it.each([
    ['on a stream that is not a terminal', false, true],
    ['if it is not wanted', true, false],
  ])('is not shown %s', (_, isTTY, isWanted) => {
    const stream = new Terminal(isTTY);
    {
      using bar = progressBar(stream, isWanted);
      expect(bar.keepBelow(stream)).toBe(stream);
      bar.show('working', 0.5);
    }
    expect(stream.writableLength).toBe(0);
    expect(stream.rows).toEqual(['']);
  });
});

describe('the bar of the daemon', () => {
  const START = '2026-07-06T12:01:30Z';

  /** A job whose run lasts until it is aborted. */
  const lasting = (account: string): Job => ({
    ...{ account, collector: 'proxy_users', schedules: ['0 * * * *'], zone: 'UTC' },
    collect: (signal, progress) => {
      progress({ done: 42_000, total: 100_000, unit: 'users' });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    render: async () => {},
    isThrottled: () => false,
    isProviderUnreached: () => false,
    trouble: () => ({ unansweredSince: undefined, refusedSince: undefined, rejectedSince: undefined }),
  });

  it('shows long runs, the longest first, and no short ones', async () => {
    const off = { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false };
    await using harness = await Harness.build({ now: START, account: off });
    const { runner } = harness.app;
    const [terminal, clock] = [new Terminal(), new FakeClock(START)];
    const pass = async (ms: number): Promise<string | undefined> => {
      harness.clock.advance(ms);
      clock.advance(ms);
      await nextTurn();
      return terminal.rows.at(-1);
    };
    using bar = progressBar(terminal);
    await using _ = showWork(bar, harness.app, clock);
    await runner.add(lasting('main'));
    expect(await pass(SECOND)).toBe('');
    await runner.add(lasting('other'));
    expect(await pass(SECOND)).toBe('[#######.........]  42% main proxy_users: 42,000 of 100,000 users, 2 s');
    expect(await pass(SECOND)).toMatch(/main proxy_users: .*, 3 s \+1 more$/);
    await runner.remove('main', 'proxy_users');
    expect(await pass(SECOND)).toMatch(/other proxy_users: .*, 3 s$/);
    await runner.remove('other', 'proxy_users');
    expect(await pass(SECOND)).toBe('');
  });
});
