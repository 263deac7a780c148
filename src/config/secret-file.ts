// A secret in a file of its own, read again when the file has changed.

import { readFileSync } from 'node:fs';
import { Secret } from '../lib/secret.ts';
import { stampOf } from './file-stamp.ts';

/**
 * The text of `file` without the newline at its end; undefined when it is not sound, throws when it cannot be read.
 * Later on, what is gone or unsound (a file in the midst of being written) leaves the last sound value standing.
 */
export const secretFromFile = (file: string, isSound: (text: string) => boolean): Secret | undefined => {
  let kept = readStamped(file);
  if (!isSound(kept.text)) return undefined;
  return new Secret((afresh) => {
    const present = afresh || hasChanged(file, kept.stamp) ? tryToRead(file) : undefined;
    if (present && isSound(present.text)) kept = present;
    return kept.text;
  }, file);
};

interface Stamped {
  readonly text: string;
  readonly stamp: string;
}

const readStamped = (file: string): Stamped => {
  // Stamped before it is read: a change in between shows as one more change, and is not missed.
  const stamp = stampOf(file);
  return { stamp, text: readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') };
};

const hasChanged = (file: string, stamp: string): boolean => {
  try {
    return stampOf(file) !== stamp;
  } catch {
    return false;
  }
};

const tryToRead = (file: string): Stamped | undefined => {
  try {
    return readStamped(file);
  } catch {
    return undefined;
  }
};
