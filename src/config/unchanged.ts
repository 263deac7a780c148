// Compares two loaded versions of a configuration by value, including secrets.

import { Secret } from '../lib/secret.ts';

type Entries = Readonly<Record<string, unknown>>;

/** Whether both values are deeply equal. */
export const isUnchanged = (before: unknown, after: unknown): boolean => {
  if (before instanceof Secret && after instanceof Secret) return before.isSame(after);
  if (!isObject(before) || !isObject(after)) return Object.is(before, after);
  if (Object.getPrototypeOf(before) !== Object.getPrototypeOf(after)) return false;
  return keysOf(before, after).every((key) => isUnchanged(before[key], after[key]));
};

/** Returns `after`, in which unchanged entries are the identical objects of `before`. */
export const reuseUnchanged = <T extends object>(before: T, after: T): T =>
  Object.fromEntries(
    Object.entries(after).map(([key, value]) => {
      const old = (before as Entries)[key];
      return [key, isUnchanged(old, value) ? old : value];
    }),
  ) as T;

/** Returns the paths of top-level settings that differ, such as `server.listen`. */
export const changedSettings = (before: Entries, after: Entries): string[] =>
  keysOf(before, after).flatMap((section) => {
    const [old, value] = [before[section], after[section]];
    if (isUnchanged(old, value)) return [];
    if (!isMap(old) || !isMap(value)) return [section];
    return keysOf(old, value).flatMap((key) =>
      isUnchanged(old[key], value[key]) ? [] : [`${section}.${key}`],
    );
  });

const keysOf = (before: Entries, after: Entries): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

const isObject = (value: unknown): value is Entries => typeof value === 'object' && value !== null;

const isMap = (value: unknown): value is Entries => isObject(value) && !Array.isArray(value);
