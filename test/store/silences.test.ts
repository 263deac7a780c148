// Tests stored silences: they survive a restart, a backup has them, and a corrected clock leaves their times.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import type { Silence } from '../../src/store/alert-store.ts';
import { backUp } from '../../src/store/sqlite/file/backup.ts';
import { makeFolder, openStore, START } from './support.ts';

const silenceOf = (id: string, part: Partial<Silence> = {}): Silence => ({
  ...{ id, account: 'main', alert: 'DataStale', subject: 'traffic', comment: 'Anna' },
  ...{ startsAt: START, endsAt: START + HOUR, untilResolved: false },
  ...part,
});
const ONE = silenceOf('one');
const TWO = silenceOf('two', {
  account: null,
  alert: null,
  startsAt: START + HOUR,
  endsAt: START + 9 * HOUR,
  untilResolved: true,
});

it('keeps silences over a restart, in a backup and after a correction of times, until they are removed', async () => {
  const folder = makeFolder();
  const [path, backup] = [join(folder, 'store.db'), join(folder, 'backup.db')];
  {
    using store = openStore(path);
    await store.silences.add(TWO);
    await store.silences.add(ONE);
    await store.runs.record({
      ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START, intervalMs: HOUR },
      ...{ result: 'ok', isSuccess: true, errorKind: null, errorMessage: null },
      ...{ skippedItems: 0, failingParts: 0 },
    });
    expect(await store.correctFutureTimes(START - HOUR, 'main')).toBe(true);
    const { signal } = new AbortController();
    await backUp(path, backup, { overwrite: false, signal, onProgress: () => {} });
    await store.silences.remove(['one', 'unknown']);
  }
  using store = openStore(path);
  expect(await store.silences.all()).toEqual([TWO]);
  await store.silences.end(['two', 'unknown'], START + 2 * HOUR);
  expect(await store.silences.all()).toEqual([{ ...TWO, endsAt: START + 2 * HOUR }]);
  using copy = openStore(backup);
  expect(await copy.silences.all()).toEqual([ONE, TWO]);
});
