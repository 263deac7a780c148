// Reads a file of proxies: YAML or JSON with entries as in the configuration, or text with one proxy on each line.

import { readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { z } from 'zod';
import { ConfigError, describePath, type Mistake } from '../../config/config-error.ts';
import type { ConfigNode } from '../../config/config-node.ts';
import { withBaseFolder } from '../../config/files.ts';
import { validate } from '../../config/validate.ts';
import { type LocatedMistake, readYaml } from '../../config/yaml-source.ts';
import { Secret } from '../../lib/secret.ts';
import { type ProxyEntry, probeEntry, probeSecret, proxyEntry, proxyOf, proxySecret } from './proxy-entry.ts';
import { parseProbeLine, parseProxyLine } from './proxy-line.ts';

/** A valid entry of the file, or the mistakes in it. Mistakes contain nothing of the entry's text. */
export type FileItem = FileEntry | { readonly mistakes: readonly Mistake[] };

interface FileEntry {
  readonly entry: ProxyEntry;
  readonly place: Omit<Mistake, 'message'>;
}

const YAML_EXTENSIONS: readonly string[] = ['.yaml', '.yml', '.json'];

const yamlItem = z.union([proxySecret().transform((proxy): ProxyEntry => ({ proxy })), proxyEntry]);
const probedYamlItem = z.union([
  probeSecret().transform((proxy): ProxyEntry => ({ proxy, isProbed: true })),
  probeEntry,
]);

/** Reads lines for own probes if `isProbed`. Throws the system's error, and ConfigError if the file is not a list. */
export const readProxyFile = (file: string, isProbed = false): FileItem[] => {
  const text = readFileSync(file, 'utf8');
  return markDuplicates(
    YAML_EXTENSIONS.includes(extname(file))
      ? yamlItems(file, text, isProbed)
      : textItems(file, text, isProbed),
  );
};

const yamlItems = (file: string, text: string, isProbed: boolean): FileItem[] => {
  // Dollars are escaped, because those in passwords do not refer to environment variables.
  const { root, mistakes } = readYaml(text.replaceAll('$', '$$$$'), {});
  if (!root || mistakes.length > 0)
    throw new ConfigError(mistakes.map((mistake) => mistakeIn(file, mistake)));
  if (root.kind !== 'list') {
    throw new ConfigError([{ ...placeOf(file, root), message: 'expected a list of proxies' }]);
  }
  return withBaseFolder(dirname(file), () => root.items.map((item) => yamlItemOf(file, item, isProbed)));
};

const yamlItemOf = (file: string, item: ConfigNode, isProbed: boolean): FileItem => {
  const validated = validate(item, isProbed ? probedYamlItem : yamlItem);
  if ('config' in validated) return { entry: validated.config, place: placeOf(file, item) };
  return { mistakes: validated.mistakes.map((mistake) => mistakeIn(file, mistake)) };
};

/** A comment begins with # at the start of a line only, because a password may contain #. */
const textItems = (file: string, text: string, isProbed: boolean): FileItem[] =>
  text.split(/\r?\n/).flatMap((line, index): FileItem[] => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const place = { file, line: index + 1, column: 1, path: '' };
    const parsed = isProbed ? parseProbeLine(line) : parseProxyLine(line);
    if ('error' in parsed) return [{ mistakes: [{ ...place, message: parsed.error }] }];
    return [{ entry: { proxy: new Secret(line), ...(isProbed && { isProbed }) }, place }];
  });

/** Marks entries with the label of an earlier one as mistakes. Otherwise only the first would be tested, without notice. */
const markDuplicates = (items: readonly FileItem[]): FileItem[] => {
  const known = new Set<string>();
  return items.map((item) => {
    if ('mistakes' in item) return item;
    const id = proxyOf(item.entry)[0]?.proxy.id ?? '';
    if (known.size < known.add(id).size) return item;
    return { mistakes: [{ ...item.place, message: DUPLICATE }] };
  });
};

const DUPLICATE = 'a proxy above has the same name, id or address; give this one another name';

const placeOf = (
  file: string,
  { line, column, path }: Omit<LocatedMistake, 'message'>,
): FileEntry['place'] => ({
  file,
  line,
  column,
  path: describePath(path),
});

const mistakeIn = (file: string, mistake: LocatedMistake): Mistake => ({
  ...placeOf(file, mistake),
  message: mistake.message,
});
