// Tests that GitHub can read the issue forms, and that the links of all files for GitHub lead to files that exist.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { anchorsIn, ROOT, textOf } from '../docs/documents.ts';
import { issueConfig, issueForm } from './issue-form.ts';

const FOLDER = '.github/ISSUE_TEMPLATE';
const FORMS = readdirSync(join(ROOT, FOLDER))
  .filter((name) => name !== 'config.yml')
  .map((name) => `${FOLDER}/${name}`);

test.each(FORMS)('%s is an issue form', (path) => {
  expect(issueForm.safeParse(parse(textOf(path))).error).toBeUndefined();
});

test('every issue needs a form, and security problems have a private one', () => {
  const { blank_issues_enabled, contact_links } = issueConfig.parse(parse(textOf(`${FOLDER}/config.yml`)));
  expect([FORMS.length, blank_issues_enabled]).toEqual([3, false]);
  expect(contact_links.map(({ url }) => url)).toContainEqual(
    expect.stringMatching(/\/security\/advisories\/new$/),
  );
});

test.each([
  ['type: input', 'type: text'],
  ['id: version', 'id: installation'],
  ['label: Version', 'label: Log'],
  ['label: Version', 'lable: Version'],
  ['options: [npm package, ', 'options: [systemd, '],
  ['description: proxywatch does', 'about: proxywatch does'],
])('a form with the mistake %j → %j is invalid', (from, to) => {
  const text = textOf(`${FOLDER}/bug.yml`);
  expect(text).toContain(from);
  expect(issueForm.safeParse(parse(text.replace(from, to))).success).toBe(false);
});

const LINK = /https:\/\/github\.com\/[\w-]+\/proxywatch\/blob\/main\/([\w./-]+)(?:#([\w-]+))?/g;

test('the links of issues and pull requests lead to files and headings that exist', () => {
  const files = [...FORMS, `${FOLDER}/config.yml`, '.github/PULL_REQUEST_TEMPLATE.md'];
  const links = files.flatMap((file) => [...textOf(file).matchAll(LINK)]);
  expect(links.length).toBeGreaterThan(3);
  const dead = links.filter(
    ([, path = '', anchor]) =>
      !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsIn(path).includes(anchor)),
  );
  expect(dead.map(([link]) => link)).toEqual([]);
});
