// Checks the worked example of CONTRIBUTING.md: every excerpt is in its file, and the files are those of a real collector.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECTORS } from '../../src/collectors/index.ts';
import { ROOT, textOf } from './documents.ts';

const CONTRIBUTING = textOf('CONTRIBUTING.md');
const EXCERPTS = [...CONTRIBUTING.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, file = '', code = '']) => ({ file, code }),
);

describe('the worked example', () => {
  it('has an excerpt in most of its steps', () => {
    const steps = CONTRIBUTING.match(/^### \d+\. /gm) ?? [];
    expect(steps.length).toBe(9);
    expect(EXCERPTS.length).toBeGreaterThanOrEqual(steps.length - 1);
  });

  it.each(EXCERPTS)('shows the code of $file', ({ file, code }) => {
    expect(textOf(file)).toContain(code);
  });

  it('is a collector that exists', () => {
    expect(COLLECTORS.map(({ name }) => name)).toContain('catalog');
  });
});

it('every folder and file of "Where to change what" exists', () => {
  const [, table = ''] = CONTRIBUTING.split('## Where to change what');
  const paths = [...(table.split('\n## ')[0] ?? '').matchAll(/`((?:src|grafana)\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
