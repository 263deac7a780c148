// Tests that every link between the repository's documents has an existing target.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsIn, DOCUMENTS, PAGES, ROOT, textOf } from './documents.ts';
import { linksIn, targetOf } from './links.ts';

const hasTarget = (path: string, anchor: string | undefined): boolean =>
  existsSync(join(ROOT, path)) && (anchor === undefined || anchorsIn(path).includes(anchor));

const isValidLink = (document: string, link: string): boolean =>
  hasTarget(targetOf(document, link), link.split('#')[1]);

test.each(DOCUMENTS)('the links of %s lead to files and headings that exist', (document) => {
  expect(linksIn(textOf(document)).filter((link) => !isValidLink(document, link))).toEqual([]);
});

test('the README and the index link to every document that they introduce', () => {
  const linkedFrom = (document: string): string[] =>
    linksIn(textOf(document)).map((link) => targetOf(document, link));
  expect(linkedFrom('README.md')).toEqual(
    expect.arrayContaining(['docs/index.md', 'CONTRIBUTING.md', 'CHANGELOG.md']),
  );
  const linked = linkedFrom('docs/index.md');
  expect(PAGES.filter((page) => page !== 'docs/index.md' && !linked.includes(page))).toEqual([]);
});

const SOURCES = ['src', 'test', 'bench', 'deploy', 'grafana', 'prometheus', 'config.example.yaml', '.ci'];

test.skipIf(!existsSync(join(ROOT, '.git')))('the pages that sources and settings name exist', () => {
  const list = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', [...list, ...SOURCES], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => /\.(ts|cjs|mjs|ya?ml|json|css)$/.test(path) && existsSync(join(ROOT, path)));
  const missing = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)]
      .filter(([, page, anchor]) => !hasTarget(`docs/${page}`, anchor))
      .map(([link]) => `${file}: ${link}`),
  );
  expect(missing).toEqual([]);
});
