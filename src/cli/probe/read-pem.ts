// Reads a file of certificates that an option names.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeReadError } from '../../config/read-error.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError. */
export const readPem = (file: string): string => {
  const text = read(file);
  try {
    new X509Certificate(text);
  } catch {
    throw new UsageError(`${file}: expected a file that contains a certificate (PEM)`);
  }
  return text;
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file}: cannot read this file (${describeReadError(error)})`);
  }
};
