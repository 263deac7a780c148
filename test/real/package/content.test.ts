// Tests what the package carries as npm packs it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALERTS } from '../../../src/alerts/table.ts';
import { ROOT } from '../../docs/documents.ts';
import { linksIn, targetOf } from '../../docs/links.ts';
import { describeWith } from '../with-programs.ts';
import { type Installed, installPackage, run } from './installed.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed[Symbol.asyncDispose]());

/** Returns the paths of the package's files. */
const carriedFiles = (): string[] =>
  readdirSync(installed.root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(installed.root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('node_modules/'))
    .toSorted();

test('it carries the rules, the dashboards, the docs and the list of its packages', () => {
  expect(carriedFiles()).toEqual(
    expect.arrayContaining([
      ...['README.md', 'CHANGELOG.md', 'LICENSE', 'config.example.yaml', 'dist/sbom.spdx.json'],
      ...['docs/index.md', 'docs/alerts.md', 'docs/status-page.png', 'docs/reference/metrics.md'],
      ...['prometheus/rules/proxywatch.yml', 'prometheus/history-rules/proxywatch-history.yml'],
      ...['prometheus/mixin/mixin.libsonnet', 'prometheus/mixin/README.md'],
      ...['grafana/dashboards/overview.json', 'grafana/provisioning/dashboards/proxywatch.yml'],
      ...['deploy/alertmanager/alertmanager.yml', 'deploy/systemd/proxywatch.service'],
    ]),
  );
  const { packages } = JSON.parse(readFileSync(join(installed.root, 'dist/sbom.spdx.json'), 'utf8'));
  expect(packages[0].name).toBe('proxywatch');
});

/** All that a package may carry. Sources, tests and the settings of a checkout are not among it. */
const ALLOWED = [
  /^(?:README|CHANGELOG)\.md$|^LICENSE$|^package\.json$|^config\.example\.yaml$/,
  /^dist\/(?:main|health-check)\.js$|^dist\/[\w-]+\.cjs$|^dist\/LICENSES\.txt$|^dist\/sbom\.spdx\.json$/,
  /^dist\/chunks\/[\w-]+\.js$|^dist\/page\/[\w/-]+\.(?:js|css|svg)$/,
  /^dist\/node_modules\/(?:better-sqlite3|nodemailer|re2js|uplot)\/(?:package\.json$|LICENSE$|[\w/.-]+\.(?:c?js|json|css|node)$)/,
  /^docs\/[\w/-]+\.(?:md|png)$/,
  /^grafana\/dashboards\/\w+\.json$|^grafana\/provisioning\/\w+\/proxywatch\.yml$/,
  /^prometheus\/(?:history-)?rules\/[\w-]+\.yml$/,
  /^prometheus\/mixin\/(?:README\.md|[\w-]+\.libsonnet|jsonnetfile\.json|generated\/\w+\.json)$/,
  /^deploy\/(?:alertmanager\/alertmanager\.yml|systemd\/proxywatch\.service)$/,
];

test('it carries no other files, and apart from the build only files that are in Git', async () => {
  const files = carriedFiles();
  expect(files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
  const tracked = (await run(ROOT, 'git', '-c', 'safe.directory=*', 'ls-files', '-z')).split('\0');
  expect(files.filter((path) => !path.startsWith('dist/') && !tracked.includes(path))).toEqual([]);
});

/** Pages about the code and the project link to these, and pages about containers, whose images are not made from the package. */
const ONLY_IN_CHECKOUT =
  /^(?:(?:src|deploy|findings|prometheus\/tests|test\/blast-radius|test\/lib\/snapshots)\/|(?:CONTRIBUTING|SECURITY|CODE_OF_CONDUCT)\.md$)/;

test('the links of its pages lead to files that it carries, or to files that need a checkout', () => {
  const pages = carriedFiles().filter((path) => path.endsWith('.md'));
  const targets = pages.flatMap((page) =>
    linksIn(readFileSync(join(installed.root, page), 'utf8')).map((link) => targetOf(page, link)),
  );
  const missing = targets.filter((target) => !existsSync(join(installed.root, target)));
  expect(targets.length).toBeGreaterThan(500);
  expect(missing.filter((target) => !ONLY_IN_CHECKOUT.test(target))).toEqual([]);
});

describeWith(['promtool', 'jsonnet'], 'the rules that it carries', () => {
  test('are valid', async () => {
    const rules = ['prometheus/rules/proxywatch.yml', 'prometheus/history-rules/proxywatch-history.yml'];
    const output = await run(installed.root, 'promtool', 'check', 'rules', ...rules);
    expect(output).toContain(`SUCCESS: ${ALERTS.length} rules found`);
  });

  test('and the dashboards are also in its mixin', async () => {
    const counts = `local m = import 'prometheus/mixin/mixin.libsonnet';
      [std.length(m.prometheusAlerts.groups[0].rules), std.length(m.grafanaDashboards)]`;
    expect(JSON.parse(await run(installed.root, 'jsonnet', '-e', counts))).toEqual([
      ALERTS.length,
      carriedFiles().filter((path) => path.startsWith('grafana/dashboards/')).length,
    ]);
  });
});
