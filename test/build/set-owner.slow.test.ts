// Tests that build/set-owner.ts leaves no placeholder for the owner of the repository in any file.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mistakeIn } from '../../build/set-owner.ts';
import { docsUrlOf, type Manifest } from '../../src/cli/context.ts';
import { ROOT, textOf } from '../docs/documents.ts';
import { contentsOf, copyOfCheckout, repositoryWith } from './checkout.ts';

/** A part of longer texts only, so that the script leaves this file as it is. */
const PLACEHOLDER = 'OWNER';
const SCRIPT = { 'build/set-owner.ts': textOf('build/set-owner.ts') };

const setOwner = (folder: string, owner: string | undefined) => {
  const { PROXYWATCH_OWNER: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'build/set-owner.ts')], {
    env: { ...env, ...(owner !== undefined && { PROXYWATCH_OWNER: owner }) },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

const changedIn = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...after].filter(([path, content]) => before.get(path) !== content).map(([path]) => path);

describe.skipIf(!existsSync(join(ROOT, '.git')))('in a copy of the checkout', () => {
  test('no placeholder remains, and the program then knows its documentation', { timeout: 60_000 }, () => {
    const folder = copyOfCheckout();
    const before = contentsOf(folder);
    const { status, stdout, stderr } = setOwner(folder, 'Acme-2');
    expect([status, stderr]).toEqual([0, '']);
    const after = contentsOf(folder);
    const lines = changedIn(before, after).map((path) => `changed ${path}\n`);
    expect(stdout).toBe(lines.join('') || 'nothing to change: no file has the placeholder\n');
    // A long name would break the format of code, which the lint checks.
    expect(lines.filter((line) => /\.(?:ts|mjs|cjs)$/m.test(line))).toEqual([]);
    expect(after.size).toBeGreaterThan(1_000);
    const remaining = [...after].filter(([, content]) => /\bOWNER(?:\/|\.github\b)/.test(content));
    expect(remaining.map(([path]) => path)).toEqual([]);

    const manifest: Manifest & Record<'homepage' | 'bugs', unknown> = JSON.parse(
      after.get('package.json') ?? '',
    );
    const [, address = ''] = /^git\+(.+)\.git$/.exec(manifest.repository?.url ?? '') ?? [];
    expect(address).toMatch(/^https:\/\/github\.com\/[\w-]+\/proxywatch$/);
    expect(manifest).toMatchObject({ homepage: `${address}#readme`, bugs: { url: `${address}/issues` } });
    expect(after.get('package-lock.json')).toBe(before.get('package-lock.json'));
    expect(after.get('package-lock.json')).not.toContain('"resolved"');

    const rules = spawnSync(process.execPath, [join(folder, 'src/main.ts'), 'rules'], { encoding: 'utf8' });
    expect(rules.stdout).toContain(`runbook_url: ${docsUrlOf(manifest)}#providerkeysrejected\n`);

    expect(setOwner(folder, 'Acme-2').stdout).toBe('nothing to change: no file has the placeholder\n');
    expect(changedIn(after, contentsOf(folder))).toEqual([]);
  });
});

describe('in a repository', () => {
  test('each form of an address gets the owner, and other words stay', () => {
    const textFor = (owner: string, lowerCase: string): string =>
      [
        `[repository](https://github.com/${owner}/proxywatch#readme), git@github.com:${owner}/proxywatch.git`,
        `image: ghcr.io/${lowerCase}/proxywatch:1.2.3, oci://ghcr.io/${lowerCase}/charts/proxywatch`,
        `https://${lowerCase}.github.io/proxywatch/, ^https://github\\.com/${owner}/proxywatch/`,
        'OWNER_ONLY, the OWNER of a file, MYOWNER.github.io',
      ].join('\r\n');
    const files = {
      'docs/a page.md': textFor(PLACEHOLDER, PLACEHOLDER),
      'other.md': 'OWNER',
    };
    const folder = repositoryWith({ ...SCRIPT, ...files });
    expect(setOwner(folder, 'Acme')).toEqual({ status: 0, stdout: 'changed docs/a page.md\n', stderr: '' });
    expect(Object.fromEntries(contentsOf(folder))).toEqual({
      ...SCRIPT,
      ...files,
      'docs/a page.md': textFor('Acme', 'acme'),
    });
  });

  test('a file that is not text stays as it is', () => {
    const folder = repositoryWith(SCRIPT);
    const bytes = Buffer.from(`\x89PNG\xff github.com/${PLACEHOLDER}/proxywatch`, 'latin1');
    writeFileSync(join(folder, 'picture.png'), bytes);
    execFileSync('git', ['add', '--all'], { cwd: folder });
    expect(setOwner(folder, 'acme').stdout).toContain('nothing to change');
    expect(readFileSync(join(folder, 'picture.png')).equals(bytes)).toBe(true);
  });

  const NOT_SET =
    'set PROXYWATCH_OWNER to the owner of the repository on GitHub, such as PROXYWATCH_OWNER=acme';
  const NO_NAMES = [
    '-acme',
    'acme-',
    'a--b',
    'a b',
    'acme/x',
    'ácme',
    'a_b',
    'a.b',
    'acme\n',
    'a'.repeat(40),
  ];
  test.each<readonly [string | undefined, string]>([
    [undefined, NOT_SET],
    ['', NOT_SET],
    [PLACEHOLDER, 'PROXYWATCH_OWNER is OWNER, which stands for an owner that is not known'],
    ...NO_NAMES.map(
      (name) => [name, `PROXYWATCH_OWNER is not the name of an owner on GitHub: ${name}`] as const,
    ),
  ])('the name %j is a mistake', (name, message) => {
    expect(mistakeIn(name)).toContain(message);
  });

  test.each([undefined, 'a b'])('no file changes with the name %j, which is a mistake', (name) => {
    const files = { ...SCRIPT, 'README.md': `github.com/${PLACEHOLDER}/proxywatch` };
    const folder = repositoryWith(files);
    const { status, stdout, stderr } = setOwner(folder, name);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`error: ${mistakeIn(name)}\n`);
    expect(Object.fromEntries(contentsOf(folder))).toEqual(files);
  });

  test.each(['a', 'A1', 'acme-corp-2', 'a'.repeat(39)])('the name %s is valid', (name) => {
    expect(mistakeIn(name)).toBeUndefined();
  });
});
