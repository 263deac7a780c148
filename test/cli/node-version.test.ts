// Tests what a Node.js that is too old prints: one line that says what is needed, from every entry point.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { problemOf } from '../../src/node-version.cjs';

const ROOT = join(import.meta.dirname, '../..');
const LINE = /^proxywatch needs Node\.js 24 or newer, but \S+ is Node\.js \d+\.\d+\.\d+\. Install .*\n$/;

describe('the version', () => {
  test.each(['24.0.0', '24.21.0', '26.0.0-nightly', '100.1.2'])('%s is new enough', (version) => {
    expect(problemOf(version, '/usr/bin/node')).toBe(null);
  });

  test.each(['0.10.48', '12.22.12', '20.20.2', '23.11.1'])('%s is too old', (version) => {
    expect(`${problemOf(version, '/usr/bin/node')}\n`).toMatch(LINE);
    expect(problemOf(version, '/usr/bin/node')).toContain(`/usr/bin/node is Node.js ${version}. Install`);
  });
});

test('the files that run before the check have the syntax of old versions', () => {
  const check = readFileSync(join(ROOT, 'src/node-version.cjs'), 'utf8');
  expect(check.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, '')).not.toMatch(
    /\b(const|let|class|import|await)\b|=>|`|\?\?|\?\./,
  );
  const main = readFileSync(join(ROOT, 'src/main.ts'), 'utf8');
  const statements = main.split('\n').filter((line) => line !== '' && !/^(#!|\/\/)/.test(line));
  expect(statements).toEqual([
    "import './node-version.cjs';",
    "import './low-memory.cjs';",
    "import('./cli/program.ts');",
  ]);
  const healthCheck = readFileSync(join(ROOT, 'src/health-check.ts'), 'utf8');
  expect(/^import .*$/m.exec(healthCheck)?.[0]).toBe("import './node-version.cjs';");
});

test('the npm scripts check the version before Node.js reads a file in TypeScript', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['start', 'proxywatch'])
    expect(scripts[name]).toMatch(/^node -r \.\/src\/node-version\.cjs start\.mjs/);
});

/** Returns a Node.js of this machine that is too old, or undefined if there is none. */
const findOldNode = (): string | undefined =>
  [...new Set([...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'])]
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      try {
        const version = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).slice(1);
        return problemOf(version, path) !== null;
      } catch {
        return false;
      }
    });

const OLD_NODE = findOldNode();

describe.skipIf(OLD_NODE === undefined)('an old Node.js', () => {
  const run = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(OLD_NODE ?? '', args, { cwd, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const refusal = { status: 1, stdout: '', stderr: expect.stringMatching(LINE) };

  test('runs the npm script', () => {
    expect(run(ROOT, '-r', './src/node-version.cjs', 'start.mjs', 'demo')).toEqual(refusal);
  });

  test.each(['main', 'health-check'])('runs the built %s', (entry) => {
    const folder = mkdtempSync(join(tmpdir(), 'proxywatch-old-node-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const source = readFileSync(join(ROOT, `src/${entry}.ts`), 'utf8');
    const built = stripTypeScriptTypes(source).replaceAll(".ts'", ".js'");
    writeFileSync(join(folder, 'dist', `${entry}.js`), built);
    for (const name of ['node-version.cjs', 'low-memory.cjs'])
      copyFileSync(join(ROOT, 'src', name), join(folder, 'dist', name));
    expect(run(folder, `dist/${entry}.js`)).toEqual(refusal);
  });
});
