// Tests what the packages of the lock file may do and be: their licences, their scripts, and that each has a reason.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importedPackages, licencesOf } from '../../build/packages.ts';
import { createFolder } from '../config/support.ts';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from '../docs/documents.ts';

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly version: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const PAGE = textOf('docs/contributing/dependencies.md');
const MANIFEST = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
const LOCK = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };
const PACKAGES = Object.entries(LOCK.packages).filter(([path]) => path !== '');

const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? '';

/** Returns the path of the package that a module below the path gets by the name, as Node.js finds it. */
const resolve = (path: string, name: string): string => {
  const found = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  return found in LOCK.packages
    ? found
    : resolve(path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)), name);
};

/** Adds the packages to the paths, with all that they need. */
const addNeeded = (path: string, names: readonly string[], paths: Set<string>): Set<string> => {
  for (const needed of names.map((name) => resolve(path, name)).filter((each) => !paths.has(each)))
    addNeeded(needed, Object.keys(LOCK.packages[needed]?.dependencies ?? {}), paths.add(needed));
  return paths;
};

/** The packages whose code is in the build. */
const DIRECT = importedPackages();
const RUNTIME_PATHS = addNeeded('', DIRECT, new Set());
const RUNTIME = PACKAGES.filter(([path]) => RUNTIME_PATHS.has(path));

/** Licences under which the packages of the image may be distributed with it. */
const RUNTIME_LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];
/** The development's packages are not distributed. */
const LICENCES = [...RUNTIME_LICENCES, 'CC0-1.0', 'MIT OR Apache-2.0', 'MPL-2.0', 'Python-2.0'];

test('every package has an allowed licence', () => {
  const others = (packages: typeof PACKAGES, allowed: readonly string[]) =>
    packages
      .filter(([, { license = 'none' }]) => !allowed.includes(license))
      .map(([path, { license }]) => [path, license]);
  expect(RUNTIME.length).toBeGreaterThan(10);
  expect(others(RUNTIME, RUNTIME_LICENCES)).toEqual([]);
  expect(others(PACKAGES, LICENCES)).toEqual([]);
});

/** npm would run these, but never does: each works without, for the reason. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  'better-sqlite3':
    'it has compiled code for every system, which npm would compile again for its binding.gyp',
  esbuild: 'its script only checks and links the program, which is a package of its own',
};

const wantsScript = ([path, { hasInstallScript }]: (typeof PACKAGES)[number]): boolean =>
  hasInstallScript === true || existsSync(join(ROOT, path, 'binding.gyp'));

test('no package runs a script when it is installed', () => {
  const names = new Set(PACKAGES.filter(wantsScript).map(([path]) => nameOf(path)));
  expect([...names].toSorted()).toEqual(Object.keys(INSTALL_SCRIPTS).toSorted());
  expect(textOf('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  // The image is built with the same settings, and the package is installed without them.
  expect(textOf('Dockerfile')).toMatch(/^COPY package.json package-lock.json .npmrc .*\nRUN npm ci$/m);
  expect(textOf('docs/how-to/run-with-systemd.md')).toMatch(/npm install .*--ignore-scripts .*\.tgz/);
});

test('the packages of the daemon are the same on every platform', () => {
  // So the image for arm64 can get the packages that were installed on x64.
  expect(textOf('Dockerfile')).toMatch(/^FROM --platform=\$BUILDPLATFORM .* AS build$/m);
  expect(RUNTIME.filter(([, { os, cpu }]) => os || cpu).map(([path]) => path)).toEqual([]);
  const compiled = RUNTIME.filter(([path]) => existsSync(join(ROOT, path, 'binding.gyp'))).map(
    ([path]) => path,
  );
  expect(compiled).toEqual(['node_modules/better-sqlite3']);
  for (const cpu of ['x64', 'arm64'])
    expect(existsSync(join(ROOT, `node_modules/better-sqlite3/prebuilds/linux-${cpu}.node`))).toBe(true);
});

test('the page gives a reason for every direct dependency, and counts all others', () => {
  const listed = tableRowsOf(PAGE).flatMap((row) => (row.reason ? codeWordsOf(row.package ?? '') : []));
  const direct = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(MANIFEST[kind] ?? {}),
  );
  expect(listed.toSorted()).toEqual(direct.toSorted());
  expect(PAGE).toContain(`${DIRECT.length} direct packages`);
  expect(PAGE).toContain(`${RUNTIME.length - DIRECT.length} other packages`);
});

test('the first table of the page names the packages of the build, all of which the build contains', () => {
  const [ofDaemon = ''] = PAGE.split('## Packages of the development');
  const listed = tableRowsOf(ofDaemon).flatMap((row) => codeWordsOf(row.package ?? ''));
  expect(listed.toSorted()).toEqual(DIRECT);
  expect(MANIFEST.dependencies).toBe(undefined);
});

test('the build has the licence of each of its packages', () => {
  for (const [path, { version, license }] of RUNTIME) {
    const text = licencesOf([join(ROOT, path, 'index.js')]);
    expect(text.startsWith(`${nameOf(path)} ${version} (${license})\n\n`)).toBe(true);
    expect(text).toMatch(/copyright/i);
    expect(text).not.toContain('undefined');
  }
});

test('the SBOM has every package of the daemon with its licence and its hash', { timeout: 120_000 }, () => {
  const file = join(createFolder({}), 'sbom.spdx.json');
  execFileSync(process.execPath, [join(ROOT, 'build/sbom.mjs'), file]);
  const { packages, spdxVersion } = JSON.parse(readFileSync(file, 'utf8')) as {
    spdxVersion: string;
    packages: { name: string; versionInfo: string; licenseDeclared: string; checksums?: object[] }[];
  };
  const [own, ...others] = packages;
  expect([spdxVersion, own?.name]).toEqual(['SPDX-2.3', 'proxywatch']);
  expect(others.map(({ name, versionInfo }) => `${name}@${versionInfo}`).toSorted()).toEqual(
    RUNTIME.map(([path, { version }]) => `${nameOf(path)}@${version}`).toSorted(),
  );
  expect(others.filter(({ licenseDeclared }) => !RUNTIME_LICENCES.includes(licenseDeclared))).toEqual([]);
  expect(others.filter(({ checksums }) => checksums?.length !== 1)).toEqual([]);
});
