// Tests that every link between the repository's documents has an existing target.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsIn, DOCUMENTS, PAGES, proseOf, ROOT, textOf } from './documents.ts';

/** Returns the targets of links and images, in Markdown and HTML, that are not on the web. */
const linksIn = (document: string): string[] =>
  [...proseOf(textOf(document)).matchAll(/\]\(([^)\s]+)\)|\b(?:href|src)="([^"]+)"/g)]
    .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? '')
    .filter((target) => !/^(https?|mailto):/.test(target));

const hasTarget = (path: string, anchor: string | undefined): boolean =>
  existsSync(join(ROOT, path)) && (anchor === undefined || anchorsIn(path).includes(anchor));

const isValidLink = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  return hasTarget(path === '' ? document : normalize(join(dirname(document), path)), anchor);
};

test.each(DOCUMENTS)('the links of %s lead to files and headings that exist', (document) => {
  expect(linksIn(document).filter((link) => !isValidLink(document, link))).toEqual([]);
});

test('the README and the index link to every document that they introduce', () => {
  const linkedFrom = (document: string): string[] =>
    linksIn(document).map((link) => normalize(join(dirname(document), link.split('#')[0] ?? '')));
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
