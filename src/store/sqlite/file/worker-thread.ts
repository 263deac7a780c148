// The thread that worker.ts starts: does its task and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { checkFile } from './check.ts';
import { openAnyVersion } from './open.ts';
import type { Task } from './worker.ts';

const task = workerData as Task;

if (task.kind === 'check') {
  for (const finding of checkFile(task.path)) parentPort?.postMessage(finding);
} else {
  const sql = openAnyVersion(task.path);
  // One reading of one moment: the daemon goes on writing, and its log alone waits for the end.
  sql.prepare('VACUUM INTO ?').run(task.to);
  sql.close();
}
