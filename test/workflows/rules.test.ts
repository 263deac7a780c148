// Tests that the workflows keep the rules of rules.ts, and that the rules find planted violations.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { textOf } from '../docs/documents.ts';
import { violationsOf } from './rules.ts';
import { WORKFLOWS, type Workflow, workflowOf } from './workflows.ts';

test.each(WORKFLOWS)('%s keeps the rules', (path) => {
  expect(violationsOf(workflowOf(path))).toEqual([]);
});

/** Changes the text of a workflow, and returns the violations. */
const violationsAfter = (path: string, from: string, to: string): string[] => {
  const text = textOf(path);
  expect(text).toContain(from);
  return violationsOf(parse(text.replace(from, to)) as Workflow);
};

const [CI, RELEASE] = ['.github/workflows/ci.yml', '.github/workflows/release.yml'];
const READ_ONLY = 'permissions:\n  contents: read\n';

test.each([
  [
    CI,
    '  pull_request:\n',
    '  pull_request_target:\n',
    'pull_request_target runs with the rights of the repo',
  ],
  [CI, READ_ONLY, '', 'the workflow may write by default'],
  [CI, READ_ONLY, 'permissions: write-all\n', 'the workflow may write by default'],
  [CI, READ_ONLY, 'permissions:\n  contents: write\n', 'the workflow may write by default'],
  [CI, /^concurrency:\n(?: .*\n)+/m.exec(textOf(CI))?.[0] ?? '', '', 'the workflow has no concurrency group'],
  [CI, '    timeout-minutes: 120\n', '', 'checks: the job has no timeout'],
  [CI, 'persist-credentials: false', 'persist-credentials: true', 'checks: a checkout keeps its token'],
  [CI, 'persist-credentials: false', 'fetch-depth: 0', 'checks: a checkout keeps its token'],
  [CI, 'checkout@v7', 'checkout@main', 'checks: actions/checkout@main names no version'],
  [CI, 'node:24-bookworm', 'node:latest', 'checks: node:latest names no version'],
  [CI, '.ci/run\n', `.ci/run \${{ github.event.head_commit.message }}\n`, 'checks: an expression is part of'],
  [RELEASE, '/proxywatch@$DIGEST"', '/proxywatch:$VERSION"', 'chart: cosign signs a tag instead of a digest'],
  [
    RELEASE,
    './.github/workflows/ci.yml',
    'a/b/.github/workflows/ci.yml@v1',
    'checks: a/b/.github/workflows/',
  ],
])('%s with a violation: %j becomes %j', (path, from, to, violation) => {
  expect(violationsAfter(path, from, to)).toEqual([expect.stringContaining(violation)]);
});
