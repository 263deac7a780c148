// Reads a secret from its own file, again when the file changes, and cleans the text of any secret in one way.

import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { Secret } from '../lib/secret.ts';
import { describeReadError, fingerprintOf } from './files.ts';

/** What the content of a file means, or why it is not valid: without any of its text. */
export type SecretContent = { readonly value: string } | SecretMistake;

interface SecretMistake {
  readonly mistake: string;
}

/** A changed file whose content is not used. */
export interface RefusedChange extends SecretMistake {
  readonly file: string;
}

/** Publishes each RefusedChange once, when it is found: a secret is read deep inside a request, where no log is. */
export const refusedChanges = channel('proxywatch.refused-secret-file');

/** Returns the secret in `file`, or why there is none. Later, a missing or invalid file keeps the last valid value. */
export const secretFromFile = (
  file: string,
  parse: (text: string) => SecretContent,
): Secret | SecretMistake => {
  const fingerprint = fingerprintIfPresent(file);
  const content = readContent(file, parse);
  if ('mistake' in content) return content;
  let current = { fingerprint, value: content.value };
  return new Secret((isReadForced) => {
    // The fingerprint is taken before the read: a change in between shows as one more change, and is not missed.
    const fingerprint = fingerprintIfPresent(file);
    if (fingerprint === undefined || (!isReadForced && fingerprint === current.fingerprint))
      return current.value;
    const content = readContent(file, parse);
    if ('value' in content) current = { fingerprint, value: content.value };
    else reportOnce({ file, mistake: content.mistake }, fingerprint);
    return current.value;
  }, file);
};

const readContent = (file: string, parse: (text: string) => SecretContent): SecretContent => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { mistake: `expected a readable file (${describeReadError(error)})` };
  }
  return parse(text);
};

const fingerprintIfPresent = (file: string): string | undefined => {
  try {
    return fingerprintOf(file);
  } catch {
    return undefined;
  }
};

/** Per file, because many settings may name the same one: the fingerprint of the change that was last published. */
const reported = new Map<string, string>();

const reportOnce = (change: RefusedChange, fingerprint: string): void => {
  if (reported.get(change.file) === fingerprint) return;
  reported.set(change.file, fingerprint);
  refusedChanges.publish(change);
};

/** Editors and `echo` end a text with one newline. */
export const withoutFinalNewline = (text: string): string => text.replace(/\r?\n$/, '');

/** Describes the byte order mark or blanks around a secret; undefined if there are none. `text` has no final newline. */
export const describeSurroundings = (text: string): string | undefined => {
  if (text.startsWith('\ufeff')) return 'a text with a byte order mark at its beginning; remove the mark';
  if (/^\s/.test(text)) return 'a text with a blank or a line break at its beginning; remove it';
  return /\s$/.test(text) ? 'a text with a blank or a line break at its end; remove it' : undefined;
};
