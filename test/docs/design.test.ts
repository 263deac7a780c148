// Tests that the lists of the pages for contributors are complete: folders and tables.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from './documents.ts';

const OVERVIEW = textOf('docs/contributing/overview.md');

const inColumn = (page: string, name: string): string[] =>
  tableRowsOf(page)
    .flatMap((row) => codeWordsOf(row[name] ?? ''))
    .toSorted();

const foldersOf = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();

test('the overview says for each folder of src/ what it may import', () => {
  const folders = inColumn(OVERVIEW, 'folder').filter((name) => !name.endsWith('.ts'));
  expect(folders).toEqual(foldersOf('src'));
});

test('the page about the store names every table', () => {
  const sql = new SQLite(':memory:');
  for (const step of MIGRATIONS) sql.exec(step);
  const tables = sql
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
  const named = inColumn(textOf('docs/design/history.md'), 'tables');
  const missing = tables.filter((table) => !named.includes(table));
  expect(missing, 'add these tables to docs/design/history.md').toEqual([]);
  expect(named).toEqual(tables);
});
