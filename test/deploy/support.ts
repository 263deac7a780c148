// Loads the deployment files and the configurations that they mount.

import { join } from 'node:path';
import { parse } from 'yaml';
import { loadSettings, type Settings } from '../../src/daemon/settings.ts';
import { createFolder } from '../config/support.ts';
import { textOf } from '../docs/documents.ts';

// biome-ignore lint/suspicious/noExplicitAny: other programs' formats, of which each test reads what it is about
export type Yaml = any;

export const yamlOf = (path: string): Yaml => parse(textOf(path), { merge: true });

/** Loads the configuration in a temporary folder, with secrets that are in `folder` of a container. */
export const settingsOf = (path: string, folder: string, names: readonly string[], env = {}): Settings => {
  const secrets = Object.fromEntries(names.map((name) => [`secrets/${name}`, `value of ${name}`]));
  const here = createFolder({ ...secrets, 'config.yaml': textOf(path).replaceAll(folder, 'secrets') });
  return loadSettings(join(here, 'config.yaml'), { ...IMAGE_ENVIRONMENT, ...env }).config;
};

/** Environment variables that the Dockerfile sets. */
export const IMAGE_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  [...textOf('Dockerfile').matchAll(/^(?:ENV| ) +([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** Port of the image. */
export const PORT = 9876;
