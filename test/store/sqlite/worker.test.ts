// Tests the thread that checks and copies a store's file.

import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInThread } from '../../../src/store/sqlite/file/worker.ts';
import { makeFolder, openStore } from '../support.ts';

it('is not in memory after its work, because the signal of the daemon no longer refers to it', async () => {
  const path = join(makeFolder(), 'proxywatch.db');
  await using _ = openStore(path);
  const { signal } = new AbortController();
  await runInThread({ kind: 'check', path }, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
