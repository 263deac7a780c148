// Reads the certificates of the targets and proxies of probes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../fixtures/probe-certificates');

type Name = 'target' | 'expired' | 'wrong-name' | 'unknown' | 'proxy';

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

export const keyPairOf = (name: Name): { readonly cert: string; readonly key: string } => ({
  cert: read(`${name}.pem`),
  key: read(`${name}.key`),
});

export const TARGET_CA = read('target-ca.pem');
export const PROXY_CA = read('proxy-ca.pem');
