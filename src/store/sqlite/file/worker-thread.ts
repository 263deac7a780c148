// Runs in the thread that worker.ts starts: does one task and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { checkFile } from './check.ts';
import { openAnyVersion } from './open.ts';
import type { WorkerTask } from './worker.ts';

const task = workerData as WorkerTask;

if (task.kind === 'check') {
  for (const result of checkFile(task.path)) parentPort?.postMessage(result);
} else {
  using sql = openAnyVersion(task.path);
  // This reads one snapshot. The daemon goes on writing; only checkpoints of its WAL wait for the end.
  sql.prepare('VACUUM INTO ?').run(task.to);
}
