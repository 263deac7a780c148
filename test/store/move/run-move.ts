// Runs one half of a move in this process: `out` or `in`, then the store and the file.

import { merge } from '../../../src/store/sqlite/move/merge.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';

const [, , half, store = '', file = ''] = process.argv;
const times = { now: Date.parse('2026-07-10T12:00:00Z'), firstStepHoldMs: 0 };
const options = { signal: new AbortController().signal, onProgress: () => {} };

if (half === 'out') await moveOut(store, file, { account: 'main', overwrite: true, ...times, ...options });
else await merge(store, file, { ...times, ...options });
