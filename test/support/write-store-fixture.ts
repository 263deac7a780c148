// Writes the store and the counters of test/fixtures/stores for the current schema version. Run it when you release a
// version with this schema (docs/contributing/release.md), and commit the files.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts';
import { buildFixtureHarness, countersOf, runFixtureAccount } from './fixture-account.ts';

const fixture = join(import.meta.dirname, '../fixtures/stores', `v${MIGRATIONS.length}`);

await using harness = await buildFixtureHarness();
await runFixtureAccount(harness);
const counters = countersOf(await harness.metrics());
await harness.stop();

const compact = join(harness.folder, 'compact.db');
const sql = new SQLite(harness.storePath);
sql.prepare('VACUUM INTO ?').run(compact);
sql.close();
writeFileSync(`${fixture}.db.gz`, gzipSync(readFileSync(compact), { level: 9 }));
writeFileSync(`${fixture}.json`, `${JSON.stringify(counters, null, 2)}\n`);
