// Reads a file of certificates that an option names.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeReadError } from '../../config/read-error.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError, which begins with the option that names the file. */
export const readPem = (file: string, option: string): string => {
  const text = read(file, option);
  try {
    new X509Certificate(text);
  } catch {
    throw new UsageError(`${option}: ${file} contains no certificate (PEM)`);
  }
  return text;
};

const read = (file: string, option: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: cannot read ${file} (${describeReadError(error)})`);
  }
};
