// Tests that the how-to about the dashboards names every dashboard.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, textOf } from './documents.ts';

const FOLDER = 'grafana/dashboards';

const titleOf = (file: string): string => {
  const { title } = JSON.parse(textOf(`${FOLDER}/${file}`)) as { title: string };
  return title.replace('proxywatch / ', '');
};

test('the how-to names every dashboard', () => {
  const page = textOf('docs/how-to/use-the-dashboards.md');
  const titles = readdirSync(join(ROOT, FOLDER)).map(titleOf);
  expect(titles).toHaveLength(11);
  expect(titles.filter((title) => !page.includes(`| ${title}`))).toEqual([]);
});
