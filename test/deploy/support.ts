// Loads the deployment files and the configurations that they mount.

import { join } from 'node:path';
import { parse } from 'yaml';
import { loadSettings, type Settings } from '../../src/daemon/settings.ts';
import { createFolder } from '../config/support.ts';
import { textOf } from '../docs/documents.ts';

// biome-ignore lint/suspicious/noExplicitAny: other programs' formats, of which each test reads what it is about
export type Yaml = any;

export const yamlOf = (path: string): Yaml => parse(textOf(path), { merge: true });

/** Loads the configuration of a file in a temporary folder, with secrets that are in `folder` of a container. */
export const settingsOf = (path: string, folder: string, names: readonly string[], env = {}): Settings =>
  settingsIn(textOf(path), folder, names, env);

/** Loads the text of a configuration, as `settingsOf` does. */
export const settingsIn = (text: string, folder: string, names: readonly string[], env = {}): Settings => {
  const secrets = Object.fromEntries(names.map((name) => [`secrets/${name}`, `value of ${name}`]));
  const here = createFolder({ ...secrets, 'config.yaml': text.replaceAll(folder, 'secrets') });
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

/** Merges a patch into an object as kustomize does: maps by key, lists of named items by name, all else replaced. */
export const patched = (object: Yaml, patch: Yaml): Yaml => {
  if (Array.isArray(object) && Array.isArray(patch) && patch.every((item) => item?.name !== undefined))
    return [
      ...object.map((item) => {
        const change = patch.find(({ name }) => name === item.name);
        return change ? patched(item, change) : item;
      }),
      ...patch.filter(({ name }) => !object.some((item) => item.name === name)),
    ];
  if (!isMap(object) || !isMap(patch)) return patch;
  const keys = [...new Set([...Object.keys(object), ...Object.keys(patch)])];
  return Object.fromEntries(
    keys.map((key) => [key, key in patch ? patched(object[key], patch[key]) : object[key]]),
  );
};

const isMap = (value: unknown): value is Record<string, Yaml> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
