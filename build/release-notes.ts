// Prints the section of a version in CHANGELOG.md as the text of a release: release-notes.ts VERSION [REPOSITORY_URL]
// With the address of the repository, links to files lead to the files of the version.

import { readChangelog, sectionOf, withAbsoluteLinks } from './changelog.ts';

const [version = '', repository] = process.argv.slice(2);
try {
  const notes = sectionOf(readChangelog(), version);
  console.log(repository ? withAbsoluteLinks(notes, `${repository}/blob/v${version}`) : notes);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
