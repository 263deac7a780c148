// Checks that a tag can be released, and prints what the release workflow needs to know: release-version.ts TAG

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readChangelog, sectionOf } from './changelog.ts';

export interface Release {
  readonly version: string;
  readonly prerelease: boolean;
  /** npm installs a version by this tag. Prereleases get a tag of their own, so that nobody installs them by default. */
  readonly npm_tag: 'latest' | 'next';
}

const VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;

/** Throws if the tag, the version of package.json and the sections of CHANGELOG.md do not match. */
export const releaseOf = (tag: string, packageVersion: string, changelog: string): Release => {
  const version = tag.replace(/^v/, '');
  if (!tag.startsWith('v') || !VERSION.test(version))
    throw new Error(`the tag ${tag} does not have the form v1.2.3 or v1.2.3-rc.1`);
  if (version !== packageVersion)
    throw new Error(`the tag is ${tag}, but package.json has the version ${packageVersion}`);
  sectionOf(changelog, version);
  const prerelease = version.includes('-');
  return { version, prerelease, npm_tag: prerelease ? 'next' : 'latest' };
};

if (import.meta.main) {
  try {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const release = releaseOf(process.argv[2] ?? '', version, readChangelog());
    for (const [name, value] of Object.entries(release)) console.log(`${name}=${value}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
