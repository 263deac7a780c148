// Reads proxies from files, each of which is read again when it has changed.

import { existsSync, globSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, describeMistake, type Mistake } from '../../config/config-error.ts';
import { describeReadError, fingerprintOf } from '../../config/files.ts';
import type { Log } from '../../lib/log.ts';
import { PRODUCT_TYPE_WORDS } from '../../provider/documented-words.ts';
import { describeUnknownWord, unknownWord } from '../unknown-words.ts';
import type { FileEntry } from './entries.ts';
import { type FoundProxy, proxyOf } from './proxy-entry.ts';
import { type FileItem, readProxyFile } from './proxy-file.ts';
import type { ProxySource } from './source.ts';

/** A file as it was at its last change. */
interface FileState {
  readonly path: string;
  readonly fingerprint: string;
  /** The items of the last valid list; null if this process has not read a valid list yet. */
  readonly items: readonly FileItem[] | null;
  /** Why the file is not a valid list now. Mistakes in single items are in `items`. */
  readonly mistakes: readonly Mistake[];
}

/** These are enough to find the mistakes; a thousand would make the log line too long. */
const MISTAKES_IN_LOG = 20;
const NO_FILE = 'there is no file of proxies at this path';

/** `file` is an absolute path or an absolute glob. */
export const fileSource = ({ file: pattern, isProbed = false }: FileEntry): ProxySource => {
  /** Undefined before the files are read for the first time. */
  let known: readonly FileState[] | undefined;

  return {
    name: `proxies of ${pattern}`,
    isFromProvider: false,
    proxiesHere: () => proxiesInFiles({ file: pattern, isProbed }),
    preview: () => {
      const files = pathsOf(pattern)
        .filter((path) => existsSync(path))
        .map((path) => readIfChanged(path, undefined, isProbed));
      return {
        proxies: files.flatMap(entriesOf).length,
        mistakes: files.flatMap(mistakesOf).map(describeMistake),
        warnings: [
          ...(files.length === 0 ? [`${pattern}: ${NO_FILE}`] : []),
          ...files.flatMap(unknownWordsIn).map(describeMistake),
        ],
      };
    },
    list: async ({ log }) => {
      const before = known;
      const files = readFiles(pattern, before ?? [], isProbed);
      known = files;
      for (const file of files.filter((file) => !before?.includes(file))) logMistakes(log, file);
      if (files.length === 0 && before?.length !== 0) log.warn({ pattern }, NO_FILE);
      const [mistake] = files.flatMap(({ mistakes }) => mistakes);
      const proxies = files.flatMap(entriesOf).flatMap(proxyOf);
      return {
        proxies,
        isRemoved: () => files.every(({ items }) => items !== null),
        skipped: files.flatMap(({ items }) => items?.filter(isInvalidItem) ?? []).length,
        // A file may be empty, or not found by a glob, while it is being replaced.
        isSuspicious: proxies.length === 0 || before?.some((file) => !includesPath(files, file)) === true,
        failure: mistake && { error: new ConfigError([mistake]), isLogged: true },
      };
    },
  };
};

/** Reads the proxies of the files once, without invalid files and entries. */
export const proxiesInFiles = ({ file: pattern, isProbed = false }: FileEntry): FoundProxy[] =>
  readFiles(pattern, [], isProbed).flatMap(entriesOf).flatMap(proxyOf);

const includesPath = (files: readonly FileState[], { path }: FileState): boolean =>
  files.some((file) => file.path === path);

const readFiles = (pattern: string, known: readonly FileState[], isProbed: boolean): FileState[] => {
  const kept = new Map(known.map((file) => [file.path, file]));
  return pathsOf(pattern).map((path) => readIfChanged(path, kept.get(path), isProbed));
};

/**
 * Sorted, so that of a proxy in two files the same entry always comes first. A path that is not a glob is returned even if
 * there is no such file, because a missing file is a failure.
 */
const pathsOf = (pattern: string): string[] =>
  isGlob(pattern) && !existsSync(pattern) ? globSync(pattern).sort() : [pattern];

const isGlob = (path: string): boolean => /[*?[{]|[+@!]\(/.test(path);

const readIfChanged = (path: string, kept: FileState | undefined, isProbed: boolean): FileState => {
  let fingerprint = UNREADABLE;
  try {
    // The fingerprint is taken before the file is read. So a change in between shows as another change and is not missed.
    fingerprint = fingerprintOf(path);
    return kept?.fingerprint === fingerprint
      ? kept
      : { path, fingerprint: fingerprint, items: readProxyFile(path, isProbed), mistakes: [] };
  } catch (error) {
    const isRead = error instanceof ConfigError;
    const mistakes = isRead ? error.mistakes : [unreadableMistake(path, error)];
    const file = {
      path,
      fingerprint: isRead ? fingerprint : UNREADABLE,
      items: kept?.items ?? null,
      mistakes,
    };
    return kept && isDeepStrictEqual(file, kept) ? kept : file;
  }
};

/** Never equals a fingerprint, so the file is read again each time. Its fingerprint would not show that it became readable. */
const UNREADABLE = '';

const unreadableMistake = (file: string, error: unknown): Mistake => {
  if (!(error instanceof Error && 'code' in error)) throw error;
  const message = `cannot read this file (${describeReadError(error)})`;
  return { file, line: 1, column: 1, path: '', message };
};

const isInvalidItem = (item: FileItem): item is Exclude<FileItem, { readonly entry: unknown }> =>
  'mistakes' in item;

const entriesOf = ({ items }: FileState) =>
  (items ?? []).flatMap((item) => (isInvalidItem(item) ? [] : [item.entry]));

const mistakesOf = ({ items, mistakes }: FileState): Mistake[] => [
  ...mistakes,
  ...(items ?? []).filter(isInvalidItem).flatMap((item) => item.mistakes),
];

const unknownWordsIn = ({ items }: FileState): Mistake[] =>
  (items ?? []).flatMap((item) =>
    isInvalidItem(item)
      ? []
      : unknownWord(PRODUCT_TYPE_WORDS, item.entry.product_type, ['product_type']).map((word) => ({
          ...item.place,
          message: describeUnknownWord(word),
        })),
  );

const logMistakes = (log: Log, file: FileState): void => {
  const all = mistakesOf(file);
  if (all.length === 0) return;
  const mistakes = all.slice(0, MISTAKES_IN_LOG).map(describeMistake);
  const isInvalid = file.mistakes.length > 0;
  const what = isInvalid
    ? 'a file of proxies cannot be used; proxywatch keeps testing its last valid list'
    : 'a file of proxies has invalid entries; proxywatch tests only the valid ones';
  log.warn({ file: file.path, count: all.length, mistakes }, what);
};
