// Reads the certificates of the tests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../fixtures/provider-certificates');
const OTHERS = join(import.meta.dirname, '../fixtures/certificates');

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

export const CA = read(FOLDER, 'ca.pem');
export const OTHER_CA = read(OTHERS, 'other-ca.pem');

/** All are for localhost and 127.0.0.1, except `stranger`, which OTHER_CA issued for another name. */
export type CertificateName = 'valid' | 'expired' | 'self-signed' | 'stranger';

export const certificate = (name: CertificateName): { readonly key: string; readonly cert: string } => {
  const folder = name === 'stranger' ? OTHERS : FOLDER;
  return { key: read(folder, `${name}.key`), cert: read(folder, `${name}.pem`) };
};
