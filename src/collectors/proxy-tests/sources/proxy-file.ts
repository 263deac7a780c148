// A list of proxies in a file of its own: YAML or JSON with entries as in the configuration, or text with a proxy a line.

import { readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { z } from 'zod';
import { ConfigError, describePath, type Mistake } from '../../../config/config-error.ts';
import { inFolder } from '../../../config/folder.ts';
import type { ConfigNode } from '../../../config/node.ts';
import { validate } from '../../../config/validate.ts';
import { type PlacedMistake, readYaml } from '../../../config/yaml-source.ts';
import { Secret } from '../../../lib/secret.ts';
import { type ProxyEntry, proxyEntry, proxyOf, proxySecret } from './proxy-entry.ts';
import { parseProxyLine } from './proxy-line.ts';

/** An entry of the file, or what is wrong with it; mistakes have nothing of the entry's text in them. */
export type FileItem = FileEntry | { readonly mistakes: readonly Mistake[] };

interface FileEntry {
  readonly entry: ProxyEntry;
  readonly place: Omit<Mistake, 'message'>;
}

const YAML_ENDINGS: readonly string[] = ['.yaml', '.yml', '.json'];

const yamlItem = z.union([proxySecret().transform((proxy): ProxyEntry => ({ proxy })), proxyEntry]);

/** Throws what the system says of a file that can't be read, and ConfigError when the file as a whole is no list. */
export const readProxyFile = (file: string): FileItem[] => {
  const text = readFileSync(file, 'utf8');
  return markTwins(YAML_ENDINGS.includes(extname(file)) ? yamlItems(file, text) : textItems(file, text));
};

const yamlItems = (file: string, text: string): FileItem[] => {
  // A dollar is a dollar here: what stands in passwords is no environment variable.
  const { root, mistakes } = readYaml(text.replaceAll('$', '$$$$'), {});
  if (!root || mistakes.length > 0)
    throw new ConfigError(mistakes.map((mistake) => mistakeIn(file, mistake)));
  if (root.kind !== 'list') {
    throw new ConfigError([{ ...placeOf(file, root), message: 'expected a list of proxies' }]);
  }
  return inFolder(dirname(file), () => root.items.map((item) => yamlItemOf(file, item)));
};

const yamlItemOf = (file: string, item: ConfigNode): FileItem => {
  const validated = validate(item, yamlItem);
  if ('config' in validated) return { entry: validated.config, place: placeOf(file, item) };
  return { mistakes: validated.mistakes.map((mistake) => mistakeIn(file, mistake)) };
};

/** Comments begin with # at the start of a line; a password may hold one. */
const textItems = (file: string, text: string): FileItem[] =>
  text.split('\n').flatMap((raw, index): FileItem[] => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const place = { file, line: index + 1, column: 1, path: '' };
    const parsed = parseProxyLine(line);
    if ('error' in parsed) return [{ mistakes: [{ ...place, message: parsed.error }] }];
    return [{ entry: { proxy: new Secret(line) }, place }];
  });

/** Of entries with one label only the first could be tested, and nobody would know. */
const markTwins = (items: readonly FileItem[]): FileItem[] => {
  const known = new Set<string>();
  return items.map((item) => {
    if ('mistakes' in item) return item;
    const id = proxyOf(item.entry)[0]?.target.id ?? '';
    if (known.size < known.add(id).size) return item;
    return { mistakes: [{ ...item.place, message: TWIN }] };
  });
};

const TWIN = 'the same name, id or address as a proxy above: give this one a name of its own';

const placeOf = (
  file: string,
  { line, column, path }: Omit<PlacedMistake, 'message'>,
): FileEntry['place'] => ({
  file,
  line,
  column,
  path: describePath(path),
});

const mistakeIn = (file: string, mistake: PlacedMistake): Mistake => ({
  ...placeOf(file, mistake),
  message: mistake.message,
});
