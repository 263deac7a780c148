// Reads files with certificates (PEM), each again only when it has changed.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeReadError, fingerprintOf } from '../../config/files.ts';

const known = new Map<string, { readonly fingerprint: string; readonly text: string }>();

/** Returns the file as it was last readable. Undefined if there is no file, or if it never was readable. */
export const readCaFile = (path: string | undefined): string | undefined => {
  if (path === undefined) return undefined;
  const last = known.get(path);
  try {
    const fingerprint = fingerprintOf(path);
    if (last?.fingerprint === fingerprint) return last.text;
    const text = readFileSync(path, 'utf8');
    known.set(path, { fingerprint, text });
    return text;
  } catch {
    return last?.text;
  }
};

/** Describes why the file cannot be used, without its content; undefined if it can be used. */
export const caFileMistake = (path: string): string | undefined => {
  try {
    new X509Certificate(readFileSync(path));
    return undefined;
  } catch (error) {
    const isUnreadable = error instanceof Error && 'syscall' in error;
    if (isUnreadable) return `expected a readable file (${describeReadError(error)})`;
    return 'expected a file that contains a certificate (PEM)';
  }
};
