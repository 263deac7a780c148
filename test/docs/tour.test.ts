// Checks that the tour of the code has its stops, and that each stop names something that its file contains.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, textOf } from './documents.ts';

const JOURNEYS = textOf('docs/contributing/tour.md').split(/^## /m).slice(1);
const LINK = /\[`(\w+)`\]\(\.\.\/\.\.\/([^)]+)\)/g;

describe.each(JOURNEYS.map((text) => [text.split('\n')[0], text]))('%s', (_, journey) => {
  const stops = [...journey.matchAll(/^\d+\. .*$/gm)].map(([line]) => line);

  it('has ten stops', () => {
    expect(stops).toHaveLength(10);
  });

  it.each(stops)('%s', (stop) => {
    const links = [...stop.matchAll(LINK)];
    expect(links).not.toEqual([]);
    for (const [, name, path = ''] of links) {
      const file = join(ROOT, path);
      expect([path, existsSync(file)]).toEqual([path, true]);
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`\\b(const|class|function) ${name}\\b`));
    }
  });
});
