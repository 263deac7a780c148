// Runs the scripts of the release workflow in a copy of the checkout. Programs that publish are replaced by ones that only
// write down how they were called. What cannot run here is listed with the reason.

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { copyOfCheckout } from '../build/checkout.ts';
import { createFolder } from '../config/support.ts';
import { type Job, type Step, stepsOf, workflowOf } from './workflows.ts';

const { jobs } = workflowOf('.github/workflows/release.yml');
const DIGEST = `sha256:${'a1'.repeat(32)}`;

/** What is not run, and why: actions, called workflows, and scripts. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'actions/checkout': 'the copy of the checkout stands for it',
  'actions/setup-node': 'the tests run on Node.js 24',
  'actions/upload-artifact': 'the jobs share a folder instead',
  'actions/download-artifact': 'the jobs share a folder instead',
  './.github/workflows/ci.yml': '.ci/run and .ci/nightly are its steps',
  'npm ci': 'the copy has the packages of the checkout',
  'docker/setup-qemu-action': 'GitHub only. test/real/container builds the image for this machine',
  'docker/setup-buildx-action': 'GitHub only. test/real/container builds the image for this machine',
  'docker/metadata-action': 'GitHub only. It computes the tags of the image',
  'docker/build-push-action': 'it publishes. test/real/container builds the image for this machine',
  'docker/login-action': 'it needs a registry',
  'sigstore/cosign-installer': 'it needs GitHub. A stand-in takes the calls of cosign',
  'actions/attest': 'it needs the identity of the workflow',
};

/** Helm names and fills an archive like this, and prints such a digest. */
const STAND_INS: Readonly<Record<string, string>> = {
  helm: `[ "$1" = push ] && echo "Digest: ${DIGEST}" >&2
[ "$1" = package ] && mkdir -p "$8" && tar -czf "$8/proxywatch-$4.tgz" -C "$(dirname "$2")" proxywatch`,
  cosign: '',
  gh: '',
  npm: '[ "$1" = publish ] || exec "$REAL_NPM" "$@"',
};

type Environment = Readonly<Record<string, string>>;

/** Returns the environment of all steps. The stand-ins append their calls to the file CALLS. */
const startEnvironment = async (owner: string, version: string): Promise<Environment> => {
  const folder = createFolder({});
  for (const [name, script] of Object.entries(STAND_INS)) {
    writeFileSync(join(folder, name), `#!/bin/bash\necho "${name} $*" >> "$CALLS"\n${script}\nexit 0\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const { stdout: npm } = await promisify(execFile)('sh', ['-c', 'command -v npm']);
  return {
    ...{ PATH: `${folder}:${process.env.PATH}`, REAL_NPM: npm.trim() },
    ...{ CALLS: join(folder, 'calls'), GITHUB_OUTPUT: join(folder, 'output') },
    ...{ GITHUB_REF_NAME: `v${version}`, GITHUB_SERVER_URL: 'https://github.com' },
    ...{ GITHUB_REPOSITORY: `${owner}/proxywatch`, GITHUB_REPOSITORY_OWNER: owner },
  };
};

/** Fills in the expressions of a step or job: the owner, and outputs of earlier steps. */
const evaluated = (env: Environment = {}, outputs: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).map(([name, text]) => [
      name,
      text.replace(/^\$\{\{ .*?(\w+) \}\}$/, (_, key: string) => outputs[key] ?? key),
    ]),
  );

const STEPS = Object.values(jobs).flatMap((job: Job & Pick<Step, 'env'>) =>
  (job.uses ? [job] : stepsOf(job)).map((step: Step) => ({ ...step, env: { ...job.env, ...step.env } })),
);

/** Runs the steps of all jobs in their order. Returns what was not run, and how the stand-ins were called. */
const dryRun = async (cwd: string, owner: string, version: string) => {
  const environment = await startEnvironment(owner, version);
  const { CALLS = '', GITHUB_OUTPUT = '' } = environment;
  const outputs: Record<string, string> = { repository_owner: owner, digest: DIGEST };
  const notRun = new Set<string>();
  for (const { uses, run = '', env } of STEPS) {
    if (uses !== undefined || run in NOT_RUN) {
      notRun.add(uses?.split('@')[0] ?? run);
      continue;
    }
    writeFileSync(GITHUB_OUTPUT, '');
    await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', run], {
      ...{ cwd, env: { ...process.env, ...environment, ...evaluated(env, outputs) } },
    });
    const lines = readFileSync(GITHUB_OUTPUT, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    for (const [, key = '', value = ''] of lines) outputs[key] = value;
  }
  return { notRun, calls: readFileSync(CALLS, 'utf8').trimEnd().split('\n') };
};

test('each step of a release runs here, or has a reason why not', async () => {
  const checkout = copyOfCheckout();
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  const { notRun, calls } = await dryRun(checkout, 'Acme', version);
  expect([...notRun].toSorted()).toEqual(Object.keys(NOT_RUN).toSorted());
  expect(calls.filter((call) => !/^npm (run|pack|sbom)/.test(call))).toEqual([
    `helm package deploy/helm/proxywatch --version ${version} --app-version ${version} --destination chart`,
    `npm publish ./release/proxywatch-${version}.tgz --provenance --access public --tag latest`,
    `cosign sign --yes ghcr.io/acme/proxywatch@${DIGEST}`,
    `helm push release/proxywatch-chart-${version}.tgz oci://ghcr.io/acme/charts`,
    `cosign sign --yes ghcr.io/acme/charts/proxywatch@${DIGEST}`,
    `gh release create v${version} release/proxywatch-${version}.tgz release/proxywatch-chart-${version}.tgz release/sbom.spdx.json --verify-tag --title proxywatch ${version} --notes-file release/notes.md --prerelease=false`,
  ]);
  for (const file of ['notes.md', 'sbom.spdx.json', `proxywatch-${version}.tgz`])
    expect(existsSync(join(checkout, 'release', file))).toBe(true);
  expect(readFileSync(join(checkout, 'release/notes.md'), 'utf8')).not.toMatch(/\bOWNER\//);
});
