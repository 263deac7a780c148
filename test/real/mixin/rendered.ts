// Installs the mixin as its README says, and renders it with jsonnet.

import { execFile } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { createFolder } from '../../config/support.ts';
import { codeBlocksIn, ROOT, textOf } from '../../docs/documents.ts';

export interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export const README = 'prometheus/mixin/README.md';
export const COMMITTED: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  textOf('prometheus/rules/proxywatch.yml'),
);
export const RULES = COMMITTED.groups.flatMap(({ rules }) => rules);

/** The names of the mixin's dashboards, each with the text of the committed file. */
export const DASHBOARDS: ReadonlyMap<string, string> = new Map(
  readdirSync(join(ROOT, 'grafana/dashboards')).map((name) => [
    `proxywatch-${name}`,
    textOf(`grafana/dashboards/${name}`),
  ]),
);

/** The file that the README tells users to write. */
export const [SAMPLE = ''] = codeBlocksIn(README)
  .filter(({ language }) => language === 'jsonnet')
  .map(({ text }) => text);
const [, FOLDER = ''] = /import '(.+)\/prometheus\/mixin\/mixin\.libsonnet'/.exec(SAMPLE) ?? [];

/** The mixin as an expression in an installed folder. */
export const MIXIN = `(import '${FOLDER}/prometheus/mixin/mixin.libsonnet')`;

/** Creates a folder in which jsonnet-bundler has installed these folders of the repository, by default all. */
export const install = (...folders: readonly string[]): string => {
  const folder = createFolder({});
  for (const each of folders.length > 0 ? folders : ['prometheus', 'grafana'])
    cpSync(join(ROOT, each), join(folder, 'vendor', FOLDER, each), { recursive: true });
  return folder;
};

/** Runs a program in the folder, and returns its output. */
export const run = async (cwd: string, program: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd, maxBuffer: 16 * 1024 * 1024 })).stdout;

export const evaluate = async (expression: string, folder = install()) =>
  JSON.parse(await run(folder, 'jsonnet', '-J', 'vendor', '-e', expression));

/** Returns the mixin's field with these options. */
export const render = (field: string, options = '{}') =>
  evaluate(`(${MIXIN} + { _config+:: ${options} }).${field}`);

/** Returns the alerts with these options. Fails if promtool does not accept them. */
export const alertsWith = async (options: string): Promise<Rule[]> => {
  const alerts = await render('prometheusAlerts', options);
  const folder = createFolder({});
  writeFileSync(join(folder, 'alerts.json'), JSON.stringify(alerts));
  await run(folder, 'promtool', 'check', 'rules', 'alerts.json');
  return alerts.groups[0].rules;
};
