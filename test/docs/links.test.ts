// Tests that every link between the repository's documents has an existing target.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, textOf } from './documents.ts';

const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const linksIn = (document: string): string[] =>
  [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

/** Returns the anchors that GitHub generates from headings. */
const anchorsIn = (document: string): string[] =>
  [...textOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const isValidLink = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path));
  return existsSync(join(ROOT, target)) && (anchor === undefined || anchorsIn(target).includes(anchor));
};

test.each(DOCUMENTS)('the links of %s lead to files and headings that exist', (document) => {
  expect(linksIn(document).filter((link) => !isValidLink(document, link))).toEqual([]);
});

test('the README links to every document', () => {
  const linked = linksIn('README.md').map((link) => link.split('#')[0]);
  expect(DOCUMENTS.filter((path) => path !== 'README.md' && !linked.includes(path))).toEqual([]);
});
