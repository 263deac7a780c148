// Proxies listed in files, each of which is read again when it has changed.

import { existsSync, globSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, describeMistake, type Mistake } from '../../../config/config-error.ts';
import { whyUnreadable } from '../../../config/file-error.ts';
import { stampOf } from '../../../config/file-stamp.ts';
import type { Log } from '../../../lib/log.ts';
import type { FileEntry } from '../options.ts';
import { proxyOf } from './proxy-entry.ts';
import { type FileItem, readProxyFile } from './proxy-file.ts';
import type { ProxySource } from './source.ts';

/** A file as it was at its last change. */
interface KeptFile {
  readonly path: string;
  readonly stamp: string;
  /** Of the last time that it was a list; null when this process has not seen it as one. */
  readonly items: readonly FileItem[] | null;
  /** Why it is no list now; those of its items are in `items`. */
  readonly mistakes: readonly Mistake[];
}

/** Enough to find them; a log line is no place for a thousand. */
const MISTAKES_IN_LOG = 20;
const NO_FILE = 'no file of proxies is there';

/** `file` is an absolute path, or a glob of some. */
export const fileSource = ({ file: pattern }: FileEntry): ProxySource => {
  /** Undefined before the first look. */
  let known: readonly KeptFile[] | undefined;

  return {
    name: `proxies of ${pattern}`,
    asksProvider: false,
    preview: () => {
      const files = pathsOf(pattern)
        .filter((path) => existsSync(path))
        .map((path) => readIfChanged(path, undefined));
      return {
        proxies: files.flatMap(entriesOf).length,
        mistakes: files.flatMap(mistakesOf).map(describeMistake),
        warnings: files.length === 0 ? [`${pattern}: ${NO_FILE}`] : [],
      };
    },
    list: async ({ log }) => {
      const before = known;
      const files = lookAgain(pattern, before ?? []);
      known = files;
      for (const file of files.filter((file) => !before?.includes(file))) logMistakes(log, file);
      if (files.length === 0 && before?.length !== 0) log.warn({ pattern }, NO_FILE);
      const [mistake] = files.flatMap(({ mistakes }) => mistakes);
      const proxies = files.flatMap(entriesOf).flatMap(proxyOf);
      return {
        proxies,
        isGone: () => files.every(({ items }) => items !== null),
        skipped: files.flatMap(({ items }) => items?.filter(isBad) ?? []).length,
        // A file may be empty, or not found by a glob, while it is being replaced.
        isDoubtful: proxies.length === 0 || before?.some((file) => !isAmong(files, file)) === true,
        failure: mistake && { error: new ConfigError([mistake]), isLogged: true },
      };
    },
  };
};

const isAmong = (files: readonly KeptFile[], { path }: KeptFile): boolean =>
  files.some((file) => file.path === path);

const lookAgain = (pattern: string, known: readonly KeptFile[]): KeptFile[] => {
  const kept = new Map(known.map((file) => [file.path, file]));
  return pathsOf(pattern).map((path) => readIfChanged(path, kept.get(path)));
};

/** Sorted, so that of proxies in two files always the same is the first. One that is no glob is there or it is missed. */
const pathsOf = (pattern: string): string[] =>
  isGlob(pattern) && !existsSync(pattern) ? globSync(pattern).sort() : [pattern];

const isGlob = (path: string): boolean => /[*?[{]|[+@!]\(/.test(path);

const readIfChanged = (path: string, kept: KeptFile | undefined): KeptFile => {
  let stamp = UNREADABLE;
  try {
    // Stamped before it is read: a change in between shows as one more change, and is not missed.
    stamp = stampOf(path);
    return kept?.stamp === stamp ? kept : { path, stamp, items: readProxyFile(path), mistakes: [] };
  } catch (error) {
    const isRead = error instanceof ConfigError;
    const mistakes = isRead ? error.mistakes : [unreadable(path, error)];
    const file = { path, stamp: isRead ? stamp : UNREADABLE, items: kept?.items ?? null, mistakes };
    return kept && isDeepStrictEqual(file, kept) ? kept : file;
  }
};

/** Tried again each time: that a file may be read at last doesn't show in its stamp. */
const UNREADABLE = '';

const unreadable = (file: string, error: unknown): Mistake => {
  if (!(error instanceof Error && 'code' in error)) throw error;
  const message = `expected a file that can be read (${whyUnreadable(error)})`;
  return { file, line: 1, column: 1, path: '', message };
};

const isBad = (item: FileItem): item is Exclude<FileItem, { readonly entry: unknown }> => 'mistakes' in item;

const entriesOf = ({ items }: KeptFile) => (items ?? []).flatMap((item) => (isBad(item) ? [] : [item.entry]));

const mistakesOf = ({ items, mistakes }: KeptFile): Mistake[] => [
  ...mistakes,
  ...(items ?? []).filter(isBad).flatMap((item) => item.mistakes),
];

const logMistakes = (log: Log, file: KeptFile): void => {
  const all = mistakesOf(file);
  if (all.length === 0) return;
  const mistakes = all.slice(0, MISTAKES_IN_LOG).map(describeMistake);
  const isUnsound = file.mistakes.length > 0;
  const what = isUnsound
    ? 'a file of proxies is no list now; its last good list stands'
    : 'entries of a file of proxies cannot be used';
  log.warn({ file: file.path, count: all.length, mistakes }, what);
};
