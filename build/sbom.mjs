// Writes the list of packages that the daemon runs with (SBOM, SPDX 2.3) from the lock file to a file, by default in dist/.
// npm leaves out packages that both the daemon and its development need, so development is removed before.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const [output = join(ROOT, 'dist/sbom.spdx.json')] = process.argv.slice(2);
const FORMAT = ['--package-lock-only', '--sbom-format=spdx', '--sbom-type=application'];

const read = (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const withoutDevelopment = ({ devDependencies, optionalDependencies, ...rest }) => rest;

const runtimeOnly = ({ packages, ...lock }) => ({
  ...lock,
  packages: { ...packages, '': withoutDevelopment(packages['']) },
});

const folder = mkdtempSync(join(tmpdir(), 'proxywatch-sbom-'));
try {
  const write = (name, json) => writeFileSync(join(folder, name), JSON.stringify(json));
  write('package.json', withoutDevelopment(read('package.json')));
  write('package-lock.json', runtimeOnly(read('package-lock.json')));
  writeFileSync(output, execFileSync('npm', ['sbom', ...FORMAT], { cwd: folder }));
} finally {
  rmSync(folder, { recursive: true });
}
