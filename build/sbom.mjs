// Writes the list of packages that the build is made of (SBOM, SPDX 2.3) from the lock file to a file, by default in dist/.
// npm lists the dependencies of a package, so it gets a manifest in which the packages of the build are dependencies.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedPackages } from './packages.ts';

const ROOT = join(import.meta.dirname, '..');
const [output = join(ROOT, 'dist/sbom.spdx.json')] = process.argv.slice(2);
const FORMAT = ['--package-lock-only', '--sbom-format=spdx', '--sbom-type=application'];

const read = (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const withDependencies = ({ devDependencies, optionalDependencies, ...rest }) => ({
  ...rest,
  dependencies: Object.fromEntries(importedPackages().map((name) => [name, devDependencies[name]])),
});

const runtimeOnly = ({ packages, ...lock }) => ({
  ...lock,
  packages: { ...packages, '': withDependencies(packages['']) },
});

const folder = mkdtempSync(join(tmpdir(), 'proxywatch-sbom-'));
try {
  const write = (name, json) => writeFileSync(join(folder, name), JSON.stringify(json));
  write('package.json', withDependencies(read('package.json')));
  write('package-lock.json', runtimeOnly(read('package-lock.json')));
  writeFileSync(output, execFileSync('npm', ['sbom', ...FORMAT], { cwd: folder }));
} finally {
  rmSync(folder, { recursive: true });
}
