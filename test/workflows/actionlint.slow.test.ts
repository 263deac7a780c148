// Tests that actionlint finds nothing in the workflows, and that it finds planted mistakes.

import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolder } from '../config/support.ts';
import { ROOT, textOf } from '../docs/documents.ts';
import type { Finding } from './actionlint.ts';
import { WORKFLOWS } from './workflows.ts';

const lint = (paths: readonly string[]): Finding[] => {
  const program = join(import.meta.dirname, 'actionlint.ts');
  return JSON.parse(execFileSync(process.execPath, [program, ...paths], { cwd: ROOT, encoding: 'utf8' }));
};

test('actionlint finds nothing in the workflows', { timeout: 120_000 }, () => {
  expect(WORKFLOWS.length).toBeGreaterThan(3);
  expect(lint(WORKFLOWS)).toEqual([]);
});

const MISTAKES = [
  ['ubuntu-24.04-arm', 'ubuntu-24.04-arms', 'label "ubuntu-24.04-arms" is unknown'],
  ['contents: read', 'content: read', 'unknown permission scope "content"'],
  ['github.event_name', 'github.event_nam', 'property "event_nam" is not defined'],
  ['matrix.runner', 'matrix.runners', 'property "runners" is not defined'],
  ['timeout-minutes', 'timeout-minute', 'unexpected key "timeout-minute"'],
] as const;

test('actionlint finds planted mistakes', { timeout: 120_000 }, () => {
  const text = textOf('.github/workflows/ci.yml');
  for (const [from] of MISTAKES) expect(text).toContain(from);
  const folder = createFolder(
    Object.fromEntries(MISTAKES.map(([from, to], index) => [`${index}.yml`, text.replace(from, to)])),
  );
  const findings = lint(MISTAKES.map((_, index) => join(folder, `${index}.yml`)));
  expect(findings.map(({ path, message }) => ({ file: basename(path), message }))).toEqual(
    MISTAKES.map(([, , message], index) => ({
      file: `${index}.yml`,
      message: expect.stringContaining(message),
    })),
  );
});
