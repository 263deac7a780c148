// Reads the configuration file: YAML, environment, defaults, schema; all of its mistakes at once, or none.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError, describePath, type Mistake, type Path } from './config-error.ts';
import { spreadDefaults } from './defaults.ts';
import type { Environment } from './environment.ts';
import { whyUnreadable } from './file-error.ts';
import { inFolder } from './folder.ts';
import { type ConfigNode, locate } from './node.ts';
import { validate } from './validate.ts';
import { type PlacedMistake, readYaml } from './yaml-source.ts';

export interface LoadedConfig<T> {
  /** As it was given to the loader. */
  readonly file: string;
  readonly config: T;
  /** For rules that need more than the file to judge by: a mistake at what stands at `path`. */
  mistakeAt(path: Path, message: string): Mistake;
}

/**
 * Throws ConfigError with every mistake that can be told, in the order of the file. Relative paths start at its folder.
 * With null in place of an environment, dollars stand for themselves.
 */
export const loadConfig = <S extends z.ZodType>(
  file: string,
  schema: S,
  env: Environment | null,
): LoadedConfig<z.output<S>> => {
  const source = readYaml(readText(file), env);
  if (!source.root) throw configError(file, source.mistakes);
  const root = spreadDefaults(source.root);
  const validated = inFolder(dirname(resolve(file)), () => validate(root, schema));
  const mistakes = [...source.mistakes, ...defaultsMistakes(source.root)];
  if ('mistakes' in validated) mistakes.push(...withoutEchoes(validated.mistakes, mistakes));
  if ('mistakes' in validated || mistakes.length > 0) throw configError(file, mistakes);
  return {
    file,
    config: validated.config,
    mistakeAt: (path, message) => mistakeOf(file, placeOf(root, path, message)),
  };
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `expected a file that can be read (${whyUnreadable(error)})`;
    throw new ConfigError([{ file, line: 1, column: 1, path: '', message }], { cause: error });
  }
};

const defaultsMistakes = (root: ConfigNode): PlacedMistake[] => {
  const defaults = root.kind === 'map' ? root.entries.get('defaults')?.value : undefined;
  if (!defaults || defaults.kind === 'map') return [];
  const { line, column, path } = defaults;
  return [{ line, column, path, message: 'expected a map' }];
};

/** A scalar whose variable is not set is no use to the schema either: that follows, and need not be said. */
const withoutEchoes = (
  mistakes: readonly PlacedMistake[],
  earlier: readonly PlacedMistake[],
): PlacedMistake[] =>
  mistakes.filter(
    ({ line, column }) => !earlier.some((other) => other.line === line && other.column === column),
  );

const placeOf = (root: ConfigNode, path: Path, message: string): PlacedMistake => {
  const { node, missing } = locate(root, path);
  return { line: node.line, column: node.column, path: [...node.path, ...missing], message };
};

const configError = (file: string, mistakes: readonly PlacedMistake[]): ConfigError => {
  const sorted = mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
  // Defaults and anchors are used many times, but to be mended once.
  const seen = new Set<string>();
  const distinct = sorted.filter((mistake) => seen.size < seen.add(identityOf(mistake)).size);
  return new ConfigError(distinct.map((mistake) => mistakeOf(file, mistake)));
};

const identityOf = ({ line, column, path, message }: PlacedMistake): string =>
  JSON.stringify([line, column, path.at(-1), message]);

const mistakeOf = (file: string, { path, ...rest }: PlacedMistake): Mistake => ({
  file,
  ...rest,
  path: describePath(path),
});
