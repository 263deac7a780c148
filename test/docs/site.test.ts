// Tests that the site's sidebar has every page, and that links to files outside of docs/ are rewritten.

import { createMarkdownRenderer, disposeMdItInstance } from 'vitepress';
import { expect, test } from 'vitest';
import { repositoryLinks } from '../../docs/.vitepress/repository-links.ts';
import { sidebar } from '../../docs/.vitepress/sidebar.ts';
import { runbookUrlOf } from '../../src/alerts/annotations.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { anchorsIn, PAGES, textOf } from './documents.ts';

const entries = sidebar.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`));

test('the sidebar has every page once, and no other', () => {
  expect(entries.toSorted()).toEqual(PAGES.filter((page) => page !== 'docs/index.md'));
});

/** The pages for users that are not generated from the code, or tested against it line by line. */
const GUIDES = PAGES.filter((page) => /^docs\/(?:how-to|tutorials|index)\b/.test(page));

test('there are at most 16 how-to guides, and all guides with the README have at most 23,000 words', () => {
  expect(GUIDES.filter((page) => page.startsWith('docs/how-to/')).length).toBeLessThanOrEqual(16);
  const words = [...GUIDES, 'README.md'].map((page) => textOf(page).trim().split(/\s+/).length);
  expect(words.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(23_000);
});

test('every page begins with its title', () => {
  expect(PAGES.filter((page) => !/^# \S/.test(textOf(page)))).toEqual([]);
});

test('the runbook of every alert is a section of the page of alerts', () => {
  const anchors = anchorsIn('docs/alerts.md').map((anchor) => `https://docs.example/alerts.html#${anchor}`);
  const runbooks = ALERTS.map(({ name }) => runbookUrlOf(name, { docsUrl: 'https://docs.example/' }));
  expect(runbooks.filter((url) => !anchors.includes(url ?? ''))).toEqual([]);
});

const TEXT = '[page](../glossary.md), [file](../../deploy/compose.yaml), [web](https://example.com/)';

const hrefsOf = async (repository: string | undefined): Promise<(string | undefined)[]> => {
  disposeMdItInstance();
  const markdown = await createMarkdownRenderer('docs', { config: repositoryLinks(repository) });
  const html = markdown.render(TEXT, { relativePath: 'how-to/page.md', path: '', cleanUrls: false });
  expect(html.replaceAll(/<[^>]*>/g, '').trim()).toBe('page, file, web');
  return [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href);
};

test('a link to a file outside of docs/ leads to the repository', async () => {
  expect(await hrefsOf('https://git.example/proxywatch')).toEqual([
    './../glossary.html',
    'https://git.example/proxywatch/blob/HEAD/deploy/compose.yaml',
    'https://example.com/',
  ]);
});

test('without an address of the repository only its text remains', async () => {
  expect(await hrefsOf(undefined)).toEqual(['./../glossary.html', 'https://example.com/']);
});
