// Reads the section of a version in CHANGELOG.md.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

export const readChangelog = (): string => readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');

/** Returns the text below the heading of a version. Throws if there is none, because a release needs notes. */
export const sectionOf = (changelog: string, version: string): string => {
  const section = changelog
    .split(/^## /m)
    .slice(1)
    .find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## [${version}]"`);
  const text = section.slice(section.indexOf('\n') + 1).trim();
  if (!/^- /m.test(text)) throw new Error(`the section "## [${version}]" of CHANGELOG.md has no entry`);
  return text;
};

/** Makes relative links absolute, because the page of a release is not in a folder of the repository. */
export const withAbsoluteLinks = (markdown: string, base: string): string =>
  markdown.replaceAll(/\]\((?![a-z][a-z+.-]*:|#)([^)\s]+)\)/gi, `](${base}/$1)`);
