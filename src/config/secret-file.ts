// Reads a secret from its own file, and reads it again when the file changes.

import { readFileSync } from 'node:fs';
import { Secret } from '../lib/secret.ts';
import { fingerprintOf } from './file-fingerprint.ts';

/**
 * Returns what `parse` makes of the content of `file`, or undefined if it is not valid. Throws if the file cannot be
 * read. Later, a missing or invalid file (for example one that is being written) keeps the last valid value.
 */
export const secretFromFile = (
  file: string,
  parse: (text: string) => string | undefined,
): Secret | undefined => {
  const content = readContent(file);
  const value = parse(content.text);
  if (value === undefined) return undefined;
  let current = { fingerprint: content.fingerprint, value };
  return new Secret((isReadForced) => {
    const reread = isReadForced || hasChanged(file, current.fingerprint) ? tryToReadContent(file) : undefined;
    const newValue = reread && parse(reread.text);
    if (reread && newValue !== undefined) current = { fingerprint: reread.fingerprint, value: newValue };
    return current.value;
  }, file);
};

interface FileContent {
  readonly text: string;
  readonly fingerprint: string;
}

const readContent = (file: string): FileContent => {
  // The fingerprint is taken before the read: a change in between shows as one more change, and is not missed.
  const fingerprint = fingerprintOf(file);
  return { fingerprint, text: readFileSync(file, 'utf8') };
};

const hasChanged = (file: string, fingerprint: string): boolean => {
  try {
    return fingerprintOf(file) !== fingerprint;
  } catch {
    return false;
  }
};

const tryToReadContent = (file: string): FileContent | undefined => {
  try {
    return readContent(file);
  } catch {
    return undefined;
  }
};
