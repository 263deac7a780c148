// Builds schemas of secrets, which are written in the configuration or in a separate file.

import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { pathText, resolvePath } from './files.ts';
import { parsedText } from './parsed-text.ts';
import {
  describeSurroundings,
  type SecretContent,
  secretFromFile,
  withoutFinalNewline,
} from './secret-file.ts';

/**
 * Schema of a key, password, proxy or address that must not be shown. The text must not be empty and must be valid;
 * `explain` describes, without the text, why it is not. One newline at its end is dropped.
 */
export const secret = (
  expected = 'text',
  isValid: (text: string) => boolean = () => true,
  explain?: (text: string) => string,
) =>
  cleanText(expected, (text) => (text !== '' && isValid(text) ? new Secret(text) : undefined), explain).meta({
    writeOnly: true,
  });

/** Schema of a user name, which is sent with a secret. It is cleaned like one, but may be shown. */
export const userName = () =>
  cleanText('text', (text) => (text === '' ? undefined : text)).meta({ minLength: 1 });

/** Schema of the value of a header, which may hold a secret, so mistakes do not show it. It is cleaned like a secret. */
export const headerValue = () =>
  cleanText(
    'printable ASCII characters',
    (text) => (/^[\x20-\x7e\t]*$/.test(text) ? text : undefined),
    () => 'not a valid value of a header; expected printable ASCII characters',
  );

const cleanText = <T>(
  expected: string,
  parse: (text: string) => T | undefined,
  explain?: (text: string) => string,
) =>
  parsedText(
    expected,
    (written) => {
      const text = withoutFinalNewline(written);
      return describeSurroundings(text) === undefined ? parse(text) : undefined;
    },
    (written) => {
      const text = withoutFinalNewline(written);
      return describeSurroundings(text) ?? explain?.(text) ?? `expected ${expected}`;
    },
  );

/** Schema of certificates or a key in PEM. The text stays as it is, with comments and line breaks, which TLS ignores. */
export const pem = () =>
  parsedText('PEM', (text) => (text.trim() === '' ? undefined : new Secret(text))).meta({ writeOnly: true });

type SecretSchema = ReturnType<typeof secret>;
type SecretShape = Readonly<Record<string, SecretSchema | z.ZodOptional<SecretSchema>>>;

/** Schema of a strict map of `shape` and `secrets`, each as `key` or as `key_file`, a path. The output has only `key`. */
export const objectWithSecrets = <S extends z.ZodRawShape, T extends SecretShape>(shape: S, secrets: T) => {
  const entries = Object.entries(secrets);
  const fileKeys = Object.fromEntries(
    entries.map(([key, schema]) => [fileKeyOf(key), secretFileSchema(key, schema).optional()]),
  );
  const plainKeys = Object.fromEntries(entries.map(([key, schema]) => [key, schema.optional()]));
  return z
    .strictObject({ ...shape, ...plainKeys, ...fileKeys })
    .check(
      ...entries.flatMap(([key, schema]) =>
        isRequired(schema) ? [notBoth(key), oneOfBoth(key)] : [notBoth(key)],
      ),
    )
    .meta({ allOf: entries.map(([key, schema]) => requirementSchema(key, schema)) })
    .transform((values) => withoutFileKeys(values, Object.keys(secrets)) as Output<S, T>);
};

type Output<S extends z.ZodRawShape, T extends SecretShape> = z.output<z.ZodObject<S & T, z.core.$strict>>;

const fileKeyOf = (key: string): string => `${key}_file`;

const isRequired = (schema: SecretShape[string]): boolean => !(schema instanceof z.ZodOptional);

const secretFileSchema = (key: string, schema: SecretShape[string]) =>
  pathText()
    .transform((path, context): Secret => {
      const read = secretFromFile(resolvePath(path), (written) => contentOf(schema, written));
      if (!('mistake' in read)) return read;
      context.addIssue(read.mistake);
      return z.NEVER;
    })
    .meta({
      description: `File that contains ${key}. proxywatch reads the file again when the file changes.`,
    });

const contentOf = (schema: SecretShape[string], written: string): SecretContent => {
  const { data, error } = schema.safeParse(written);
  return data ? { value: data.reveal() } : { mistake: inFile(error?.issues[0]?.message ?? '') };
};

const EXPECTED = /^expected /;

const inFile = (mistake: string): string =>
  EXPECTED.test(mistake)
    ? mistake.replace(EXPECTED, 'expected a file that contains ')
    : `the content of the file is ${mistake}`;

// With this as `when`, the check runs even if the map has other mistakes, so that all are reported at once.
const isMap = ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null;

const notBoth = (key: string) =>
  z.refine<object>((values) => !(key in values && fileKeyOf(key) in values), {
    path: [fileKeyOf(key)],
    error: `${key} is set too; set only one of the two`,
    when: isMap,
  });

const oneOfBoth = (key: string) =>
  z.refine<object>((values) => key in values || fileKeyOf(key) in values, {
    path: [key],
    error: `expected ${key} or ${fileKeyOf(key)}`,
    when: isMap,
  });

const requirementSchema = (key: string, schema: SecretShape[string]) => {
  const both = { required: [key, fileKeyOf(key)] };
  const either = { anyOf: [{ required: [key] }, { required: [fileKeyOf(key)] }] };
  return isRequired(schema) ? { not: both, ...either } : { not: both };
};

const withoutFileKeys = (
  values: Record<string, unknown>,
  keys: readonly string[],
): Record<string, unknown> => {
  const result = { ...values };
  for (const key of keys) {
    const found = values[key] ?? values[fileKeyOf(key)];
    delete result[fileKeyOf(key)];
    if (found !== undefined) result[key] = found;
  }
  return result;
};
