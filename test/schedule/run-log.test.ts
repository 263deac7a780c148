// Tests that the log says a failure of runs once: for a collector, for an account, and at most once an hour.

import { describe, expect, it } from 'vitest';
import type { Log } from '../../src/lib/log.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { ProviderError, type ProviderErrorKind } from '../../src/provider/errors.ts';
import { type AccountTrouble, OutageLog } from '../../src/schedule/outage-log.ts';
import { type CollectResult, RunLog, summarizeRun } from '../../src/schedule/run.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const SUCCESS: CollectResult = { skipped: 0, failedParts: [] };
const NO_TROUBLE: AccountTrouble = {
  ...{ unansweredSince: undefined, refusedSince: undefined, rejectedSince: undefined },
};

const failure = (kind: ProviderErrorKind): CollectResult => ({
  thrown: new ProviderError(kind, 'asn/search', `failed by ${kind}`),
});
const failedPart = (kind: ProviderErrorKind): CollectResult => ({
  skipped: 0,
  failedParts: [{ part: 'listing', error: new ProviderError(kind, 'asn/search', 'failed') }],
});

class Account {
  trouble = NO_TROUBLE;
  readonly clock = new FakeClock('2026-07-06T12:00:00Z');
  readonly #lines: LogLine[] = [];
  readonly #log: Log = recordingLog(this.#lines);
  readonly #outages = new OutageLog(this.#log);
  readonly #collectors = new Map<string, RunLog>();

  /** Ends a run of the collector, a minute after the one before. Returns what the log says, without debug lines. */
  run(collector: string, result: CollectResult): string[] {
    this.clock.advance(MINUTE);
    const log = this.#log.child({ collector });
    const options = { job: { trouble: () => this.trouble }, log, clock: this.clock, outages: this.#outages };
    const runLog = this.#collectors.get(collector) ?? new RunLog(options);
    this.#collectors.set(collector, runLog);
    const before = this.#lines.length;
    const { result: ended, isSuccess } = summarizeRun(result);
    const now = this.clock.now();
    const finished = {
      account: 'main',
      collector,
      startedAt: now,
      finishedAt: now,
      result: ended,
      isSuccess,
    };
    runLog.runEnded(
      {
        ...finished,
        skippedItems: 0,
        failingParts: 0,
        intervalMs: MINUTE,
        errorKind: null,
        errorMessage: null,
      },
      result,
      false,
    );
    return this.#lines
      .slice(before)
      .filter(({ level }) => level !== 'debug')
      .map(({ level, message, fields: { collector } }) =>
        [level, ...(collector === undefined ? [] : [collector]), message].join(' '),
      );
  }
}

const FAILED = 'error traffic run failed';
const AGAIN = 'info traffic the runs of this collector succeed again';

describe('the failed runs of a collector', () => {
  it('are logged once until a run succeeds, whatever kind of outage it is', () => {
    const account = new Account();
    account.run('traffic', SUCCESS);
    expect(account.run('traffic', failure('server'))).toEqual([FAILED]);
    for (const kind of ['server', 'timeout', 'network'] as const)
      expect(account.run('traffic', failure(kind))).toEqual([]);
    expect(account.run('traffic', SUCCESS)).toEqual([AGAIN]);
    expect(account.run('traffic', SUCCESS)).toEqual([]);
  });

  it('are logged again if the reason is another one', () => {
    const account = new Account();
    expect(account.run('traffic', failure('server'))).toEqual([FAILED]);
    expect(account.run('traffic', failure('bad_response'))).toEqual([FAILED]);
    expect(account.run('traffic', failure('bad_response'))).toEqual([]);
    expect(account.run('traffic', { thrown: new Error('a bug') })).toEqual([FAILED]);
    expect(account.run('traffic', { thrown: new Error('another bug') })).toEqual([FAILED]);
  });

  it('are logged once an hour if they come and go', () => {
    const account = new Account();
    account.run('traffic', SUCCESS);
    const lines: string[] = [];
    for (let minute = 0; minute < 130; minute += 2)
      lines.push(...account.run('traffic', failure('server')), ...account.run('traffic', SUCCESS));
    expect(lines.filter((line) => line === FAILED)).toHaveLength(3);
    expect(lines).toHaveLength(6);
  });

  it('and failed parts that no collector logs itself are treated alike', () => {
    const account = new Account();
    expect(account.run('inventory', failedPart('server'))).toEqual(['warn inventory a part failed']);
    expect(account.run('inventory', failedPart('timeout'))).toEqual([]);
    expect(account.run('inventory', SUCCESS)).toEqual(['info inventory a part succeeds again']);
  });
});

describe('an outage of the account', () => {
  it.each([
    ['unansweredSince', 'server', 'the provider does not answer', 'the provider answers requests'],
    ['refusedSince', 'rate_limited', 'the provider limits the requests', 'the provider no longer limits'],
    ['rejectedSince', 'auth', 'the provider rejects the keys', 'the provider accepts the keys'],
  ] as const)('(%s) is logged once for all its collectors', (trouble, kind, begin, end) => {
    const account = new Account();
    for (const collector of ['traffic', 'catalog', 'quotes']) account.run(collector, SUCCESS);
    account.trouble = { ...NO_TROUBLE, [trouble]: account.clock.now() };
    expect(account.run('traffic', failure(kind))).toEqual([FAILED]);
    expect(account.run('catalog', failure(kind))).toEqual([expect.stringContaining(`error ${begin}`)]);
    for (const collector of ['quotes', 'traffic', 'catalog', 'quotes'])
      expect(account.run(collector, failure(kind))).toEqual([]);
    account.trouble = NO_TROUBLE;
    expect(account.run('catalog', SUCCESS)).toEqual([expect.stringContaining(`info ${end}`)]);
    expect(account.run('traffic', SUCCESS)).toEqual([AGAIN]);
    expect(account.run('quotes', SUCCESS)).toEqual([]);
  });

  it('does not hide a failure for another reason', () => {
    const account = new Account();
    account.trouble = { ...NO_TROUBLE, unansweredSince: account.clock.now() };
    account.run('traffic', failure('server'));
    expect(account.run('catalog', failure('bad_response'))).toEqual(['error catalog run failed']);
  });

  it('is logged again if it comes back after an hour', () => {
    const account = new Account();
    const begin = (): string[] => {
      account.trouble = { ...NO_TROUBLE, unansweredSince: account.clock.now() };
      return [...account.run('traffic', failure('server')), ...account.run('catalog', failure('server'))];
    };
    const end = (): void => {
      account.trouble = NO_TROUBLE;
      for (const collector of ['traffic', 'catalog']) account.run(collector, SUCCESS);
    };
    expect(begin()).toHaveLength(2);
    end();
    expect(begin()).toEqual([]);
    end();
    account.clock.advance(HOUR);
    expect(begin()).toHaveLength(2);
  });
});
