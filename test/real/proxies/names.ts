// Makes the files of host names and users that the proxies see instead of this machine's.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from './program.ts';
import { TARGET_NAMES } from './targets.ts';

export const USERNAME = 'probe';
export const PASSWORD = 'p@ss:word/1';
/** tinyproxy takes letters, digits, hyphens, dots and underscores. */
export const SIMPLE_PASSWORD = 'pass-word.1';
/** Made by `openssl passwd -6 -salt proxywatch PASSWORD`. */
export const PASSWORD_HASH =
  '$6$proxywatch$pY316p2TiohXp5d6ZH4YD/UUZmI10H716BpNq7zolLLCBnW0oNiQFkvjs2VYGzmaywsFIgCMVdPHBaA/A9Grj.';

const HOSTS = [
  ...['127.0.0.1 localhost', '::1 localhost'],
  ...Object.entries(TARGET_NAMES).map(([address, names]) => [address, ...names].join(' ')),
];

/** Programs that resolve names ask only the file of hosts, so no test asks a name server. */
const NSSWITCH = ['passwd: files', 'shadow: files', 'group: files', 'hosts: files'];

const FILES: Readonly<Record<string, string>> = {
  '/etc/hosts': HOSTS.join('\n'),
  '/etc/nsswitch.conf': NSSWITCH.join('\n'),
  '/etc/resolv.conf': 'nameserver 127.0.0.1\n',
  // The user of danted's password. No program starts with its rights.
  '/etc/passwd': `${readFileSync('/etc/passwd', 'utf8')}${USERNAME}:x:65533:65533::/:/bin/false\n`,
  '/etc/shadow': `${USERNAME}:${PASSWORD_HASH}:19000:0:99999:7:::\n`,
};

/** The files that the proxies see: a map from the path that they read to a file in a temporary folder. */
export const createNames = () => {
  const nameOf = (path: string): string => path.slice('/etc/'.length);
  const files = Object.entries(FILES).map(([path, text]) => [nameOf(path), `${text}\n`]);
  const folder = createFolder(Object.fromEntries(files));
  const mounts = Object.keys(FILES).map((path) => [path, join(folder.path, nameOf(path))]);
  return {
    mounts: Object.fromEntries(mounts) as Readonly<Record<string, string>>,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
};
