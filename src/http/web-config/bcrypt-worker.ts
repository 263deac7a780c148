// Compares passwords with bcrypt hashes on a thread of its own, which can be ended in the middle of a comparison.

import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';

parentPort?.on('message', ({ password, hash }: { readonly password: string; readonly hash: string }) => {
  parentPort?.postMessage(bcrypt.compareSync(password, hash));
});
