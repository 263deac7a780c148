// Changes values of users.

import type { Yaml } from '../../deploy/support.ts';

/** Returns the values without the one at the path. */
export const without = (values: Yaml, path: string): Yaml => {
  const [key = '', ...rest] = path.split('.');
  const { [key]: value, ...others } = values;
  if (value === undefined || rest.length === 0) return others;
  return { ...others, [key]: without(value, rest.join('.')) };
};

/** Returns the values with another one at the path. */
export const withValue = (values: Yaml, path: string, value: unknown): Yaml => {
  const [key = '', ...rest] = path.split('.');
  return {
    ...values,
    [key]: rest.length === 0 ? value : withValue(values[key] ?? {}, rest.join('.'), value),
  };
};
