// Reads the repository's documents for tests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns the rows of all tables of a Markdown text, with each cell by its column heading. */
export const tableRowsOf = (markdown: string): Record<string, string>[] => {
  const rows: Record<string, string>[] = [];
  let columns: string[] | undefined;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      columns = undefined;
      continue;
    }
    const cells = cellsOf(line);
    if (!columns) columns = cells;
    else if (!/^\|[-| :]+\|$/.test(line)) {
      rows.push(Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])));
    }
  }
  return rows;
};

/** Returns the words in backticks. */
export const codeWordsOf = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
