// Tests what happens before a version is published: the checks, the scripts and the name of the owner.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocksIn, ROOT, textOf } from '../docs/documents.ts';
import { stepsOf, WORKFLOWS, workflowOf } from './workflows.ts';

const [CI, RELEASE] = ['.github/workflows/ci.yml', '.github/workflows/release.yml'];

test('the checks run on both architectures, for each pull request and before each release', () => {
  const { on, jobs } = workflowOf(CI);
  expect(jobs.checks?.strategy?.matrix).toEqual({ runner: ['ubuntu-24.04', 'ubuntu-24.04-arm'] });
  expect(jobs.checks?.steps?.map(({ run }) => run)).toEqual(
    expect.arrayContaining(['.ci/run', '.ci/nightly']),
  );
  expect(Object.keys(on)).toEqual(['push', 'pull_request', 'workflow_call']);
  const release = workflowOf(RELEASE).jobs;
  expect(release.checks).toMatchObject({ with: { nightly: true } });
  const needs = (name: string): string[] => [release[name]?.needs ?? []].flat();
  const before = (name: string): string[] => [name, ...needs(name).flatMap(before)];
  for (const name of ['npm', 'image', 'chart', 'github'])
    expect(before(name)).toEqual(expect.arrayContaining(['version', 'checks']));
});

test('jobs that publish or sign run no code of packages', () => {
  const publishing = WORKFLOWS.flatMap((path) => Object.values(workflowOf(path).jobs)).filter((job) =>
    Object.keys(job.permissions ?? {}).includes('id-token'),
  );
  expect(publishing.length).toBeGreaterThan(3);
  const scripts = publishing.flatMap(stepsOf).map(({ run = '' }) => run);
  expect(scripts.filter((run) => /\bnpm (ci|install|run|pack)\b|\bnpx\b/.test(run))).toEqual([]);
});

const SCRIPTS = WORKFLOWS.flatMap((path) => Object.values(workflowOf(path).jobs))
  .flatMap(stepsOf)
  .flatMap(({ run = '' }) => [...run.matchAll(/(?:^|\s)((?:build\/release-|\.ci\/)[\w.-]+)/g)])
  .map(([, file = '']) => file);

test('the scripts of checks and releases exist', () => {
  expect(SCRIPTS.toSorted()).toEqual([
    '.ci/nightly',
    '.ci/run',
    'build/release-notes.ts',
    'build/release-version.ts',
  ]);
  expect(SCRIPTS.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test.each(['docs.yml build', 'release.yml pack', 'release.yml image'])(
  'the owner of the repository replaces the placeholder before %s builds anything',
  (name) => {
    const [file, job = ''] = name.split(' ');
    const steps = workflowOf(`.github/workflows/${file}`).jobs[job]?.steps ?? [];
    const owner = steps.findIndex(({ run }) => run === 'node build/set-owner.ts');
    const build = steps.findIndex(
      ({ uses, run = '' }) =>
        uses?.startsWith('docker/build-push-action@') || /^npm run (build|docs)/.test(run),
    );
    expect(steps[owner]).toMatchObject({ env: { PROXYWATCH_OWNER: `\${{ github.repository_owner }}` } });
    expect(build).toBeGreaterThan(owner);
  },
);

test('the package that a maintainer publishes by hand is a prerelease, so the workflow can release its version', () => {
  const [commands] = codeBlocksIn('docs/contributing/release.md').filter(({ text }) =>
    text.includes('npm publish'),
  );
  const order =
    /^npm version --no-git-tag-version \d+\.\d+\.\d+-rc\.0\nnpm run build\nnpm login\nnpm publish --tag next$/m;
  expect(commands?.text).toMatch(order);
});

test('the page about verification names what the workflow publishes', () => {
  const page = textOf('docs/how-to/verify-a-release.md');
  const workflow = textOf(RELEASE);
  expect(page).toMatch(
    /^IDENTITY="https:\/\/github\.com\/[\w-]+\/proxywatch\/\.github\/workflows\/release\.yml@refs/m,
  );
  expect(page).toMatch(/^IMAGE=ghcr\.io\/[\w-]+\/proxywatch$/m);
  expect(workflow).toContain(`images: ghcr.io/\${{ github.repository }}`);
  expect(page).toMatch(/^CHART=ghcr\.io\/[\w-]+\/charts\/proxywatch$/m);
  expect(workflow).toContain(`"oci://ghcr.io/\${GITHUB_REPOSITORY_OWNER,,}/charts"`);
  // In the current folder, the chart that Helm downloads has the name of the npm package.
  expect(page).toMatch(/gh release download .* --dir release\nfor file in release\/\*; do/);
  expect(workflow).toContain('release/*.tgz release/sbom.spdx.json');
});
