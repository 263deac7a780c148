// Changes one field in all places of an answer that it has.

import { LEFT_OUT } from './mutations.ts';

type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the steps of a path: `data.{}.results[].proxy_host` has `data`, `{}`, `results`, `[]` and `proxy_host`. */
export const stepsOf = (path: string): string[] => path.replaceAll('[]', '.[]').split('.').filter(Boolean);

/** Returns a copy of the answer in which the field has the value everywhere. */
export const withField = (json: unknown, [step, ...rest]: readonly string[], value: unknown): unknown => {
  if (step === undefined) return value;
  const change = (child: unknown): unknown => withField(child, rest, value);
  if (step === '[]') return Array.isArray(json) ? json.map(change) : json;
  if (!isObject(json)) return json;
  if (step === '{}')
    return Object.fromEntries(Object.entries(json).map(([key, child]) => [key, change(child)]));
  if (rest.length > 0) return step in json ? { ...json, [step]: change(json[step]) } : json;
  const { [step]: _, ...others } = json;
  return value === LEFT_OUT ? others : { ...json, [step]: value };
};
