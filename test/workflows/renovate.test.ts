// Tests that the rules for updates know the packages that the project pins on purpose.

import { expect, test } from 'vitest';
import { textOf } from '../docs/documents.ts';

interface Rule {
  readonly matchPackageNames?: readonly string[];
  readonly groupName?: string;
  readonly allowedVersions?: string;
  readonly dependencyDashboardApproval?: boolean;
}

const { extends: presets, packageRules } = JSON.parse(textOf('renovate.json')) as {
  extends: readonly string[];
  packageRules: readonly Rule[];
};
const { devDependencies, optionalDependencies } = JSON.parse(textOf('package.json')) as {
  devDependencies: Readonly<Record<string, string>>;
  optionalDependencies: Readonly<Record<string, string>>;
};

const rulesOf = (name: string): Rule[] =>
  packageRules.filter(({ matchPackageNames }) => matchPackageNames?.includes(name));

test('actions and images get digests', () => {
  expect(presets).toEqual(expect.arrayContaining(['helpers:pinGitHubActionDigests', 'docker:pinDigests']));
});

test('Node.js moves as one, and stays at the version of the checks', () => {
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  for (const name of [...Object.keys(optionalDependencies), '@types/node', 'node']) {
    const [group, versions] = rulesOf(name);
    expect([name, group?.groupName]).toEqual([name, 'Node.js']);
    const allowed = new RegExp(versions?.allowedVersions?.slice(1, -1) ?? '^$');
    for (const version of ['24', '24.99.0', '24-bookworm']) expect(version).toMatch(allowed);
    for (const version of ['25.0.0', '26-bookworm', '240.1.0']) expect(version).not.toMatch(allowed);
  }
});

test('the rules name packages that exist', () => {
  const known = Object.keys({ ...devDependencies, ...optionalDependencies });
  const ours = ['node', 'proxywatch', 'ghcr.io/*/proxywatch'];
  const named = packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
  expect(named.filter((name) => ![...known, ...ours].includes(name))).toEqual([]);
  expect(rulesOf('@biomejs/biome')).toMatchObject([{ dependencyDashboardApproval: true }]);
});

test('all packages have exact versions', () => {
  const { dependencies } = JSON.parse(textOf('package.json'));
  const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))).toEqual([]);
});
