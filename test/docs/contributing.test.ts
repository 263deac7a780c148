// Checks CONTRIBUTING.md, the design pages and the guide to a collector against the tree. test/contributing takes the steps of the guide.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../config/support.ts';
import { GUIDE, readSteps } from '../contributing/guide.ts';
import { codeWordsOf, proseOf, ROOT, tableRowsOf, textOf } from './documents.ts';

const CONTRIBUTING = textOf('CONTRIBUTING.md');
const STEPS = readSteps();
const CREATED = STEPS.filter((step) => step.kind === 'create');
const CHANGES = STEPS.filter((step) => step.kind === 'change');

/** Whether somebody has followed the guide in this tree. */
const isFollowed = CREATED.every(({ path }) => existsSync(join(ROOT, path)));

describe(GUIDE, () => {
  it('creates files that the tree does not have, unless somebody has followed it', () => {
    const existing = CREATED.filter(({ path }) => existsSync(join(ROOT, path)));
    expect(existing.map(({ path }) => path)).toEqual(isFollowed ? CREATED.map(({ path }) => path) : []);
  });

  it.each(CHANGES)('$title', ({ title, paths, diff }) => {
    const folder = createFolder(Object.fromEntries(paths.map((path) => [path, textOf(path)])));
    // In a tree with the collector, the same change can be taken back.
    const options = isFollowed ? ['--check', '--reverse'] : ['--check'];
    const apply = () =>
      execFileSync('git', ['apply', ...options], { cwd: folder, input: diff, stdio: 'pipe' });
    expect(apply, `${GUIDE}, ${title}: adapt the block to the changed file`).not.toThrow();
  });
});

const pathsIn = (section: string, column: string): string[] => {
  const [, text = ''] = CONTRIBUTING.split(`## ${section}\n`);
  return tableRowsOf(text.split('\n## ')[0] ?? '').flatMap((row) => codeWordsOf(row[column] ?? ''));
};

it('every folder and file of "Where to change what" exists', () => {
  const paths = pathsIn('Where to change what', 'edit this').filter((path) =>
    /^(?:src|grafana)\//.test(path),
  );
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const FOLDERS = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();

it('"Where is what" has every folder of src/', () => {
  expect(pathsIn('Where is what', 'folders in `src/`').toSorted()).toEqual(FOLDERS);
});

it('the design overview says for each folder of src/ what it may import', () => {
  const named = tableRowsOf(textOf('docs/contributing/overview.md'))
    .flatMap((row) => codeWordsOf(row['folder'] ?? ''))
    .filter((name) => !name.endsWith('.ts'));
  expect(named.toSorted()).toEqual(FOLDERS);
});

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder)).map((page) => `${folder}/${page}`);

it.each([...pagesIn('docs/contributing'), ...pagesIn('docs/design'), 'CONTRIBUTING.md'])(
  '%s has at most 1,000 words',
  (page) => {
    // The blocks of the guide are whole files and changes of code.
    const words = page === GUIDE ? proseOf(textOf(page)) : textOf(page);
    expect(words.trim().split(/\s+/).length).toBeLessThanOrEqual(1_000);
  },
);
