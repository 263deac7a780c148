// Loads the configuration file (YAML, environment, defaults, schema) and reports all of its mistakes at once.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError, describePath, type Mistake, type Path } from './config-error.ts';
import { applyDefaults, type ConfigNode, locate, withoutNulls } from './config-node.ts';
import type { Environment } from './environment.ts';
import { describeReadError, withBaseFolder } from './files.ts';
import { validate } from './validate.ts';
import { type LocatedMistake, readYaml, readYamlAsText } from './yaml-source.ts';

export interface LoadedConfig<T> {
  /** The path as given to the loader. */
  readonly file: string;
  readonly config: T;
  /** Creates a mistake at the location of `path`, for rules that need more than the file. */
  mistakeAt(path: Path, message: string): Mistake;
  /** Whether the value at `path` holds text of the environment, which must not be shown. */
  isFromEnvironment(path: Path): boolean;
}

/** Throws ConfigError with every mistake that can be found, in the order of the file. Relative paths start at its folder. */
export const loadConfig = <S extends z.ZodType>(
  file: string,
  schema: S,
  env: Environment,
): LoadedConfig<z.output<S>> => {
  const source = readYaml(readText(file), env);
  if (!source.root) throw configError(file, source.mistakes);
  const mistakes = [...source.mistakes, ...defaultsMistakes(source.root)];
  return loadTree(file, schema, applyDefaults(source.root), mistakes);
};

/**
 * Loads a file in the format of another program, which has neither variables nor `defaults`. Every scalar is text for
 * the schema, and a key without a value is absent, so the file may also be empty. Throws ConfigError.
 */
export const loadForeignConfig = <S extends z.ZodType>(
  file: string,
  schema: S,
): LoadedConfig<z.output<S>> => {
  const source = readYamlAsText(readText(file));
  if (!source.root) throw configError(file, source.mistakes);
  return loadTree(file, schema, withoutNulls(source.root), source.mistakes);
};

const loadTree = <S extends z.ZodType>(
  file: string,
  schema: S,
  root: ConfigNode,
  earlier: readonly LocatedMistake[],
): LoadedConfig<z.output<S>> => {
  const validated = withBaseFolder(dirname(resolve(file)), () => validate(root, schema));
  const mistakes = [...earlier];
  if ('mistakes' in validated) mistakes.push(...withoutConsequences(validated.mistakes, mistakes));
  if ('mistakes' in validated || mistakes.length > 0) throw configError(file, mistakes);
  return {
    file,
    config: validated.config,
    mistakeAt: (path, message) => mistakeOf(file, locateMistake(root, path, message)),
    isFromEnvironment: (path) => {
      const { node } = locate(root, path);
      return node.kind === 'scalar' && node.isFromEnvironment;
    },
  };
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `cannot read this file (${describeReadError(error)})`;
    throw new ConfigError([{ file, line: 1, column: 1, path: '', message }], { cause: error });
  }
};

const defaultsMistakes = (root: ConfigNode): LocatedMistake[] => {
  const defaults = root.kind === 'map' ? root.entries.get('defaults')?.value : undefined;
  if (!defaults || defaults.kind === 'map') return [];
  const { line, column, path } = defaults;
  return [{ line, column, path, message: 'expected a map' }];
};

/** Leaves out mistakes at the location of an earlier one: a scalar whose variable is not set also violates the schema. */
const withoutConsequences = (
  mistakes: readonly LocatedMistake[],
  earlier: readonly LocatedMistake[],
): LocatedMistake[] =>
  mistakes.filter(
    ({ line, column }) => !earlier.some((other) => other.line === line && other.column === column),
  );

const locateMistake = (root: ConfigNode, path: Path, message: string): LocatedMistake => {
  const { node, missing } = locate(root, path);
  return { line: node.line, column: node.column, path: [...node.path, ...missing], message };
};

const configError = (file: string, mistakes: readonly LocatedMistake[]): ConfigError => {
  const sorted = mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
  // A mistake in defaults or an anchor occurs once for each use, but is reported once.
  const seen = new Set<string>();
  const distinct = sorted.filter((mistake) => seen.size < seen.add(identityOf(mistake)).size);
  return new ConfigError(distinct.map((mistake) => mistakeOf(file, mistake)));
};

const identityOf = ({ line, column, path, message }: LocatedMistake): string =>
  JSON.stringify([line, column, path.at(-1), message]);

const mistakeOf = (file: string, { path, ...rest }: LocatedMistake): Mistake => ({
  file,
  ...rest,
  path: describePath(path),
});
