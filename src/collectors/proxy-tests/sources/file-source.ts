// Proxies listed in files, each of which is read again when it has changed.

import { existsSync, globSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, describeMistake, type Mistake } from '../../../config/config-error.ts';
import { whyUnreadable } from '../../../config/file-error.ts';
import { stampOf } from '../../../config/file-stamp.ts';
import type { Log } from '../../../lib/log.ts';
import { proxyOf } from '../proxy-entry.ts';
import { type FileItem, readProxyFile } from './proxy-file.ts';
import type { ProxySource } from './source.ts';

/** A file as it was at its last change. */
interface KeptFile {
  readonly path: string;
  readonly stamp: string;
  /** Of the last time that it was a list. */
  readonly items: readonly FileItem[];
  /** Why it is no list now; those of its items are in `items`. */
  readonly mistakes: readonly Mistake[];
}

/** Enough to find them; a log line is no place for a thousand. */
const MISTAKES_IN_LOG = 20;

/** `pattern` is an absolute path, or a glob of some. */
export const fileSource = (pattern: string): ProxySource => {
  let files: readonly KeptFile[] = [];
  /** Undefined before the first look that was logged. */
  let logged: readonly KeptFile[] | undefined;

  const look = (): readonly KeptFile[] => {
    const kept = new Map(files.map((file) => [file.path, file]));
    files = pathsOf(pattern).map((path) => readIfChanged(path, kept.get(path)));
    return files;
  };

  const logChanges = (log: Log): void => {
    const known = new Set(logged);
    for (const file of files.filter((file) => !known.has(file))) logMistakes(log, file);
    if (files.length === 0 && logged?.length !== 0) log.warn({ pattern }, NO_FILE);
    logged = files;
  };

  return {
    name: `proxies of ${pattern}`,
    asksProvider: false,
    preview: () => ({
      proxies: look().flatMap(entriesOf).length,
      mistakes: files.flatMap(mistakesOf).map(describeMistake),
      warnings: files.length === 0 ? [`${pattern}: ${NO_FILE}`] : [],
    }),
    list: async ({ log }) => {
      look();
      logChanges(log);
      const entries = files.flatMap(entriesOf);
      const bad = files.flatMap(({ items, mistakes }) => [...items.filter(isBad), ...mistakes.slice(0, 1)]);
      return { proxies: entries.flatMap(proxyOf), isGone: () => true, skipped: bad.length };
    },
  };
};

const NO_FILE = 'no file of proxies is there';

/** Sorted, so that of proxies in two files always the same is the first. */
const pathsOf = (pattern: string): string[] => (existsSync(pattern) ? [pattern] : globSync(pattern).sort());

const readIfChanged = (path: string, kept: KeptFile | undefined): KeptFile => {
  let stamp = UNREADABLE;
  try {
    // Stamped before it is read: a change in between shows as one more change, and is not missed.
    stamp = stampOf(path);
    return kept?.stamp === stamp ? kept : { path, stamp, items: readProxyFile(path), mistakes: [] };
  } catch (error) {
    const isRead = error instanceof ConfigError;
    const mistakes = isRead ? error.mistakes : [unreadable(path, error)];
    const file = { path, stamp: isRead ? stamp : UNREADABLE, items: kept?.items ?? [], mistakes };
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

const entriesOf = ({ items }: KeptFile) => items.flatMap((item) => (isBad(item) ? [] : [item.entry]));

const mistakesOf = ({ items, mistakes }: KeptFile): Mistake[] => [
  ...mistakes,
  ...items.filter(isBad).flatMap((item) => item.mistakes),
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
