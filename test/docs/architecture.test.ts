// Tests that the lists of the architecture page are complete: folders, files of src/daemon/, tables and packages.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from './documents.ts';

const ARCHITECTURE = textOf('docs/architecture.md');

const inColumn = (name: string): string[] =>
  tableRowsOf(ARCHITECTURE)
    .flatMap((row) => codeWordsOf(row[name] ?? ''))
    .toSorted();

test('it names every folder of src/, and no other', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const named = [...ARCHITECTURE.matchAll(/^ {2}([a-z]+)\/ /gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test('it describes each file of src/daemon/', () => {
  expect(inColumn('file in `daemon/`')).toEqual(readdirSync(join(ROOT, 'src/daemon')).toSorted());
});

test('it names every table of the store', () => {
  const sql = new SQLite(':memory:');
  for (const step of MIGRATIONS) sql.exec(step);
  const tables = sql
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all();
  expect(inColumn('tables')).toEqual(tables);
});

test('it gives a reason for every runtime package', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  expect(inColumn('package')).toEqual(Object.keys(dependencies).toSorted());
});
