// Reads the repository's documents for tests.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { githubAnchor } from '../../docs/.vitepress/github-anchor.ts';

export const ROOT = join(import.meta.dirname, '../..');

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The pages of the site, such as `docs/how-to/get-paged.md`. */
export const PAGES: readonly string[] = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !path.startsWith('.vitepress/'))
  .map((path) => `docs/${path}`)
  .toSorted();

export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'prometheus/mixin/README.md',
  'test/blast-radius/README.md',
  ...PAGES,
];

export interface CodeBlock {
  /** The document and the line of the block's first line, such as `README.md:7`. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const CODE_BLOCK = /^( *)```([\w-]*)[^\n]*\n([\s\S]*?)^\1```$/gm;

/** Returns the fenced code blocks of a document. Blocks in a list are indented; their lines lose that indent. */
export const codeBlocksIn = (document: string): CodeBlock[] => {
  const text = textOf(document);
  return [...text.matchAll(CODE_BLOCK)].map(({ 1: indent = '', 2: language = '', 3: code = '', index }) => ({
    place: `${document}:${text.slice(0, index).split('\n').length + 1}`,
    language,
    text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
};

/** Returns a Markdown text without its fenced code blocks. */
export const proseOf = (markdown: string): string => markdown.replaceAll(CODE_BLOCK, '');

/** Returns the anchors that GitHub and the site generate from headings. Repeated ones get a number. */
export const anchorsIn = (document: string): string[] => {
  const counts = new Map<string, number>();
  return [...proseOf(textOf(document)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = githubAnchor(heading.replaceAll(/\]\([^)]*\)/g, ''));
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
};

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
