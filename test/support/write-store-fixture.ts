// Writes the store and the counters of test/fixtures/stores for the schema's present version: run it with node
// before a step is added to the schema, and commit what it wrote.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts';
import { buildFixtureHouse, countersOf, liveFixture } from './fixture-account.ts';

const fixture = join(import.meta.dirname, '../fixtures/stores', `v${MIGRATIONS.length}`);

await using house = await buildFixtureHouse();
await liveFixture(house);
const counters = countersOf(await house.metrics());
await house.stop();

const compact = join(house.folder, 'compact.db');
const sql = new SQLite(house.storePath);
sql.prepare('VACUUM INTO ?').run(compact);
sql.close();
writeFileSync(`${fixture}.db.gz`, gzipSync(readFileSync(compact), { level: 9 }));
writeFileSync(`${fixture}.json`, `${JSON.stringify(counters, null, 2)}\n`);
