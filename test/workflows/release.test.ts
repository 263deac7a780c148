// Tests the scripts of the release workflow.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readChangelog, sectionOf, withAbsoluteLinks } from '../../build/changelog.ts';
import { releaseOf } from '../../build/release-version.ts';
import { ROOT, textOf } from '../docs/documents.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.1.0-rc.1] - 2026-02-01

### Added

## [1.0.0] - 2026-01-01

### Added

- Everything, as [the docs](pages/index.md#top) say.

### Fixed

- Nothing.

## [0.9.0]

- A draft.
`;

const FIRST = `### Added

- Everything, as [the docs](pages/index.md#top) say.

### Fixed

- Nothing.`;

describe('the notes of a release', () => {
  test('are the section of its version', () => {
    expect(sectionOf(CHANGELOG, '1.0.0')).toBe(FIRST);
    expect(sectionOf(CHANGELOG, '0.9.0')).toBe('- A draft.');
  });

  test.each(['1.0', '1.0.1', '.*'])('do not exist for the version %j', (version) => {
    expect(() => sectionOf(CHANGELOG, version)).toThrow(`CHANGELOG.md has no section "## [${version}]"`);
  });

  test.each(['Unreleased', '1.1.0-rc.1'])('need an entry, which %s has not', (version) => {
    expect(() => sectionOf(CHANGELOG, version)).toThrow(`"## [${version}]" of CHANGELOG.md has no entry`);
  });

  test('link to the files of the version', () => {
    const text = '[a](pages/a.md#b) [c](#c) [d](https://example.com/d) [e](mailto:e@example.com)';
    expect(withAbsoluteLinks(text, 'https://git.example/p/blob/v1')).toBe(
      text.replace('pages/a.md', 'https://git.example/p/blob/v1/pages/a.md'),
    );
  });
});

describe('a tag', () => {
  test('of a version becomes the newest one', () => {
    expect(releaseOf('v1.0.0', '1.0.0', CHANGELOG)).toEqual({
      version: '1.0.0',
      prerelease: false,
      npm_tag: 'latest',
    });
  });

  test('with a hyphen is a prerelease', () => {
    const changelog = CHANGELOG.replace('[1.0.0]', '[1.0.0-rc.1]');
    const release = { version: '1.0.0-rc.1', prerelease: true, npm_tag: 'next' };
    expect(releaseOf('v1.0.0-rc.1', '1.0.0-rc.1', changelog)).toEqual(release);
  });

  test.each([
    ['1.0.0', '1.0.0', 'does not have the form v1.2.3'],
    ['v1.0', '1.0', 'does not have the form v1.2.3'],
    ['v1.0.0;id', '1.0.0;id', 'does not have the form v1.2.3'],
    ['v1.0.0', '1.0.1', 'the tag is v1.0.0, but package.json has the version 1.0.1'],
    ['v2.0.0', '2.0.0', 'CHANGELOG.md has no section'],
  ])('%s with package.json at %s fails', (tag, version, message) => {
    expect(() => releaseOf(tag, version, CHANGELOG)).toThrow(message);
  });
});

const runScript = (name: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'build', name), ...args], { encoding: 'utf8' });

test('the programs print what the workflow reads, or fail', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  // After a release, the section "Unreleased" has no entries.
  const section =
    readChangelog()
      .split(/^## /m)
      .find((text) => /^- /m.test(text)) ?? '';
  const first = section.slice(1, section.indexOf(']'));
  const notes = withAbsoluteLinks(sectionOf(readChangelog(), first), `https://git.example/p/blob/v${first}`);
  expect(runScript('release-notes.ts', first, 'https://git.example/p')).toMatchObject({
    status: 0,
    stdout: `${notes}\n`,
  });
  expect(runScript('release-notes.ts', '99.0.0')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'CHANGELOG.md has no section "## [99.0.0]"\n',
  });
  expect(runScript('release-version.ts', 'v99.0.0')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `the tag is v99.0.0, but package.json has the version ${version}\n`,
  });
});
