// Kills this process at the Nth change of a file or a database. For `node --import`; KILL_AT is N.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import SQLite from 'better-sqlite3';

const killAt = Number(process.env['KILL_AT']);
let step = 0;

const countStep = (): void => {
  step += 1;
  if (step === killAt) process.kill(process.pid, 'SIGKILL');
};

/** Counts a step before and after each call, so that the process is also killed between two calls. */
const wrap = (owner: object, name: string): void => {
  const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]): unknown {
    // All kills inside of a transaction have the same effect as one just before its end.
    const counts = !(this instanceof SQLite && this.inTransaction);
    if (counts) countStep();
    const result = original.apply(this, args);
    if (counts) countStep();
    return result;
  });
};

for (const name of ['renameSync', 'rmSync', 'fsyncSync', 'chmodSync', 'writeFileSync']) wrap(fs, name);
syncBuiltinESMExports();
for (const name of ['exec', 'pragma', 'close']) wrap(SQLite.prototype, name);

// The last step of a transaction is the one just before its COMMIT, the first one after it is the next call.
const { transaction } = SQLite.prototype;
Reflect.set(
  SQLite.prototype,
  'transaction',
  function (this: SQLite.Database, work: (...args: unknown[]) => unknown) {
    return transaction.call(this, (...args: unknown[]): unknown => {
      const result = work(...args);
      countStep();
      return result;
    });
  },
);
