// Secrets, written in the configuration or in a file of their own beside it.

import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { whyUnreadable } from './file-error.ts';
import { fromFolder, pathText } from './folder.ts';
import { parsedText } from './parsed-text.ts';
import { secretFromFile } from './secret-file.ts';

/**
 * A key, password, proxy or address that must not be seen: text that is not empty and, if asked for more, sound; `why`
 * says without the text why it is not.
 */
export const secret = (
  expected = 'text',
  isSound: (text: string) => boolean = () => true,
  why?: (text: string) => string,
) =>
  parsedText(expected, (text) => (text !== '' && isSound(text) ? new Secret(text) : undefined), why).meta({
    writeOnly: true,
  });

type SecretSchema = ReturnType<typeof secret>;
type SecretShape = Readonly<Record<string, SecretSchema | z.ZodOptional<SecretSchema>>>;

/**
 * A strict map of `shape` and `secrets`, in which each secret is written either as `key` or as `key_file`, the path
 * of a file that holds it. The output has `key` alone.
 */
export const withFileTwins = <S extends z.ZodRawShape, T extends SecretShape>(shape: S, secrets: T) => {
  const entries = Object.entries(secrets);
  const twins = Object.fromEntries(
    entries.map(([key, schema]) => [twinOf(key), fileTwin(key, schema).optional()]),
  );
  const own = Object.fromEntries(entries.map(([key, schema]) => [key, schema.optional()]));
  return z
    .strictObject({ ...shape, ...own, ...twins })
    .check(
      ...entries.flatMap(([key, schema]) => (isRequired(schema) ? [notBoth(key), one(key)] : [notBoth(key)])),
    )
    .meta({ allOf: entries.map(([key, schema]) => requirement(key, schema)) })
    .transform((values) => withoutTwins(values, Object.keys(secrets)) as Output<S, T>);
};

type Output<S extends z.ZodRawShape, T extends SecretShape> = z.output<z.ZodObject<S & T, z.core.$strict>>;

const twinOf = (key: string): string => `${key}_file`;

const isRequired = (schema: SecretShape[string]): boolean => !(schema instanceof z.ZodOptional);

const fileTwin = (key: string, schema: SecretShape[string]) =>
  pathText()
    .transform((path, context): Secret => {
      const fail = (message: string): never => {
        context.addIssue(message);
        return z.NEVER;
      };
      let mistake = '';
      const isSound = (text: string): boolean => {
        mistake = mistakeIn(schema, text);
        return mistake === '';
      };
      try {
        return secretFromFile(fromFolder(path), isSound) ?? fail(inFile(mistake));
      } catch (error) {
        return fail(`expected a file that can be read (${whyUnreadable(error)})`);
      }
    })
    .meta({ description: `File that holds ${key}; read again when it changes.` });

/** What the schema says of the text; empty when it is sound. */
const mistakeIn = (schema: SecretShape[string], text: string): string =>
  schema.safeParse(text).error?.issues[0]?.message ?? '';

const EXPECTED = /^expected /;

const inFile = (mistake: string): string =>
  EXPECTED.test(mistake)
    ? mistake.replace(EXPECTED, 'expected a file that holds ')
    : `what the file holds is ${mistake}`;

// `when`: counted beside other mistakes in the map, so that all are told at once.
const isMap = ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null;

const notBoth = (key: string) =>
  z.refine<object>((values) => !(key in values && twinOf(key) in values), {
    path: [twinOf(key)],
    error: `${key} is given as well; only one of the two may be`,
    when: isMap,
  });

const one = (key: string) =>
  z.refine<object>((values) => key in values || twinOf(key) in values, {
    path: [key],
    error: `expected ${key} or ${twinOf(key)}`,
    when: isMap,
  });

const requirement = (key: string, schema: SecretShape[string]) => {
  const both = { required: [key, twinOf(key)] };
  const either = { anyOf: [{ required: [key] }, { required: [twinOf(key)] }] };
  return isRequired(schema) ? { not: both, ...either } : { not: both };
};

const withoutTwins = (values: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> => {
  const folded = { ...values };
  for (const key of keys) {
    const found = values[key] ?? values[twinOf(key)];
    delete folded[twinOf(key)];
    if (found !== undefined) folded[key] = found;
  }
  return folded;
};
