// Tests a daemon whose system clock is set ahead or back by an hour, a day or a year, and then right again.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../src/lib/time.ts';
import { waitUntil } from '../../cli/program.ts';
import { describeWith } from '../with-programs.ts';
import { MachineDaemon } from './machine-daemon.ts';

/** Debian's name of this machine, which is part of the paths of libraries. */
const MACHINE = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
const LIBRARY = `/usr/lib/${MACHINE}/faketime/libfaketimeMT.so.1`;
const YEAR = 365 * DAY;
const OFFSETS = [HOUR, DAY, YEAR];
/** For how long each time lasts: some polls, each with an evaluation of the alerts. */
const STEP_MS = 9 * SECOND;

interface FakedClock extends Disposable {
  readonly env: Readonly<Record<string, string>>;
  /** Sets the process's clock to the real time plus `ms`. */
  set(ms: number): void;
}

const fakeClock = (): FakedClock => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-clock-'));
  const file = join(folder, 'offset');
  const set = (ms: number): void => writeFileSync(file, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / SECOND}`);
  set(0);
  const env = {
    ...{ LD_PRELOAD: LIBRARY, FAKETIME_TIMESTAMP_FILE: file },
    ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  };
  return { env, set, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
};

const jumpsOf = ({ problems }: MachineDaemon): unknown[] =>
  problems.filter(({ msg }) => msg.startsWith('the system clock ')).map(({ seconds }) => seconds);

const observeFor = async (daemon: MachineDaemon, ms: number): Promise<void> => {
  for (const end = performance.now() + ms; performance.now() < end; await delay(SECOND))
    await daemon.observe();
};

const expectNoGaps = async (daemon: MachineDaemon): Promise<void> => {
  const { samples } = await daemon.scrape();
  const gaps = ['traffic', 'graph'].flatMap((name) => samples.all(`proxywatch_${name}_gap_seconds`));
  expect(gaps).toHaveLength(4);
  expect(gaps.filter(({ value }) => value !== 0)).toEqual([]);
};

describeWith(
  ['faketime'],
  'a clock that is wrong for a while',
  () => {
    test.each(OFFSETS)(
      'by %d ms, ahead and then behind, changes no counter',
      { timeout: 300_000 },
      async (offset) => {
        using clock = fakeClock();
        await using daemon = await MachineDaemon.start({ env: clock.env });
        await waitUntil(() => daemon.fired.length >= 5);
        const alerts = new Set(daemon.fired);
        for (const ms of [offset, 0, -offset, 0]) {
          clock.set(ms);
          // The account stays behind the real time, so a run that begins with a wrong clock finds no minutes of the future.
          daemon.advance(5 * SECOND);
          await observeFor(daemon, STEP_MS);
        }
        await daemon.waitForPolls();
        await daemon.expectTruth();
        await expectNoGaps(daemon);
        expect(daemon.fired.filter((name) => !alerts.has(name))).toEqual([]);
        expect(jumpsOf(daemon)).toEqual([1, -1, -1, 1].map((step) => (step * offset) / SECOND));
      },
    );
  },
  { concurrent: true },
);
