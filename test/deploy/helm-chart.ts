// Reads the Helm chart without its templates: the values, their schema and their comments.

import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { codeBlocksIn, textOf } from '../docs/documents.ts';
import { type Yaml, yamlOf } from './support.ts';

export const CHART = 'deploy/helm/proxywatch';

export const VALUES: Yaml = yamlOf(`${CHART}/values.yaml`);

/** The values in the samples of the documentation. */
export const SAMPLE_VALUES: readonly Yaml[] = codeBlocksIn('docs/how-to/run-in-kubernetes.md')
  .filter(({ text }) => text.startsWith('# proxywatch-values.yaml'))
  .map(({ text }) => parse(text, { version: '1.1' }));

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

const SCHEMA: SchemaNode = JSON.parse(textOf(`${CHART}/values.schema.json`));

const check = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(SCHEMA);

/** Returns what the schema finds wrong with the values of a user, merged with the defaults as Helm does. */
export const mistakesIn = (values: Yaml): string[] => {
  check(withDefaults(values));
  return (check.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, ...Object.values(params)].join(' '),
  );
};

/** Merges as Helm does: maps by key, all else is replaced, and null removes the default. */
export const withDefaults = (values: Yaml, defaults: Yaml = VALUES): Yaml => {
  const merged = Object.entries(values).map(([key, value]) => [
    key,
    isMap(value) && isMap(defaults[key]) ? withDefaults(value, defaults[key]) : value,
  ]);
  const entries = Object.entries({ ...defaults, ...Object.fromEntries(merged) });
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || !(key in values)));
};

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The comment of each value in values.yaml, by its path, such as `image.tag`. */
export const commentsOfValues = (): Map<string, string> => {
  const comments = new Map<string, string>();
  const path: string[] = [];
  let lines: string[] = [];
  for (const line of textOf(`${CHART}/values.yaml`).split('\n')) {
    const [, comment] = /^ *# (.*)$/.exec(line) ?? [];
    if (comment !== undefined) {
      lines.push(comment);
      continue;
    }
    const [, indent = '', key] = /^( *)(\w+):/.exec(line) ?? [];
    if (key) path.splice(indent.length / 2, Number.POSITIVE_INFINITY, key);
    if (key && lines.length > 0) comments.set(path.join('.'), lines.join(' '));
    lines = [];
  }
  return comments;
};

/** The description of each value in the schema, by its path. */
export const descriptionsOfValues = (node = SCHEMA, prefix = ''): Map<string, string> =>
  new Map(
    Object.entries(node.properties ?? {}).flatMap(([key, child]): [string, string][] =>
      child.description === undefined
        ? []
        : [[prefix + key, child.description], ...descriptionsOfValues(child, `${prefix}${key}.`)],
    ),
  );

/** Returns the value at a path. */
export const valueAt = (values: Yaml, path: string): Yaml =>
  path.split('.').reduce((value, key) => value?.[key], values);

/** The paths of values that a user sets, without those of sections that only contain other values. */
export const leavesOfValues = (): string[] => {
  const paths = [...commentsOfValues().keys()];
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
};
