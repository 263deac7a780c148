// Finds the parts of a rendered release.

import { expect } from 'vitest';
import type { Settings } from '../../../src/daemon/settings.ts';
import { settingsIn, type Yaml } from '../../deploy/support.ts';
import type { Rendered } from './renderer.ts';

/** The folder of the Secret's files. */
export const KEYS = '/run/secrets/proxywatch';

/** Returns the object of a kind. Fails if there is no such object, or more than one. */
export const objectOf = ({ objects }: Rendered, kind: string): Yaml => {
  const found = objects.filter(({ content }) => content.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0]?.content;
};

export const podOf = (release: Rendered): Yaml => objectOf(release, 'StatefulSet').spec.template;

export const containerOf = (release: Rendered): Yaml => podOf(release).spec.containers[0];

export const envOf = (release: Rendered): Yaml =>
  Object.fromEntries((containerOf(release).env ?? []).map(({ name, ...rest }: Yaml) => [name, rest]));

export const configMapOf = ({ objects }: Rendered): Yaml =>
  objects.find(({ template }) => template.endsWith('/configmap.yaml'))?.content;

/** Loads the configuration with the files of the Secret and with the variables of the container. */
export const settingsOfRelease = (release: Rendered): Settings => {
  const text: string = configMapOf(release).data['config.yaml'];
  const files = [...text.matchAll(new RegExp(`${KEYS}/(\\w+)`, 'g'))].map(([, name = '']) => name);
  const env = Object.entries<Yaml>(envOf(release)).map(([name, { value }]) => [
    name,
    value?.replace('$(POD_INDEX)', '0') ?? `value of ${name}`,
  ]);
  return settingsIn(text, KEYS, files, Object.fromEntries(env));
};
