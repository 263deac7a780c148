// Reads the body of the template `custom`: JSON with placeholders such as {{title}}, checked when the configuration loads.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { closestMatch } from '../../config/closest-match.ts';
import { describeReadError } from '../../config/files.ts';
import { pathText, resolvePath } from '../../config/primitives.ts';

/** Placeholders for texts, which stand inside of quotation marks. */
const TEXTS = [
  ...['receiver', 'status', 'severity', 'title', 'text', 'description'],
  ...['runbook_url', 'status_page_url', 'dashboard_url', 'group_key'],
] as const;
/** Placeholders for numbers. */
const NUMBERS = ['firing', 'silenced', 'added', 'risen', 'resolved', 'truncated_alerts'] as const;
/** Placeholders for lists and maps, which stand outside of quotation marks. */
const STRUCTURES = ['alerts', 'group_labels'] as const;
export const PLACEHOLDERS = [...TEXTS, ...NUMBERS, ...STRUCTURES] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The file in pieces: texts as they are, and placeholders. */
export type BodyTemplate = readonly (string | { readonly placeholder: Placeholder })[];

/** Schema of the path of a body file. The output has its content, so that a reload notices a changed file. */
export const bodyFile = () =>
  pathText().transform((path, context): BodyTemplate => {
    const fail = (message: string): never => {
      context.addIssue(message);
      return z.NEVER;
    };
    const file = basename(path);
    try {
      const text = readFileSync(resolvePath(path), 'utf8');
      const template = parseBody(text);
      const mistake = unknownIn(text) ?? invalidJsonIn(template);
      return mistake === undefined ? template : fail(`${file}${mistake}`);
    } catch (error) {
      return fail(`expected a readable file (${describeReadError(error)})`);
    }
  });

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

const isPlaceholder = (name: string): name is Placeholder => PLACEHOLDERS.some((known) => known === name);

export const parseBody = (text: string): BodyTemplate =>
  text
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 1 && isPlaceholder(part) ? { placeholder: part } : part));

/** Describes the first placeholder that does not exist. */
const unknownIn = (text: string): string | undefined => {
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = '']) => !isPlaceholder(name));
  if (!unknown) return undefined;
  const [, name = ''] = unknown;
  const line = text.slice(0, unknown.index).split('\n').length;
  // Anything else may be a secret in the wrong place.
  const shown = /^\w{1,40}$/.test(name) ? ` {{${name}}}` : '';
  const suggestion = closestMatch(name, PLACEHOLDERS);
  return `:${line}: unknown placeholder${shown}${suggestion ? `; did you mean {{${suggestion}}}?` : ''}`;
};

/** Fills the body with values of several forms: numbers of one and of several digits, and texts that no number is. */
const samplesFor = (number: number): Record<string, string> =>
  Object.fromEntries([
    ...TEXTS.map((name) => [name, 'x']),
    ...NUMBERS.map((name) => [name, String(number)]),
    ['alerts', '[{"a":"b"}]'],
    ['group_labels', '{"a":"b"}'],
  ]);
const SAMPLES = [0, 12].map(samplesFor);

const invalidJsonIn = (template: BodyTemplate): string | undefined => {
  for (const sample of SAMPLES) {
    const body = template
      .map((part) => (typeof part === 'string' ? part : sample[part.placeholder]))
      .join('');
    try {
      JSON.parse(body);
    } catch (error) {
      // The message may quote the file, so only its line is shown.
      const [, line] = /\(line (\d+) column \d+\)/.exec(String(error)) ?? [];
      return `${line === undefined ? '' : `:${line}`}: not valid JSON with the placeholders replaced. Texts such as {{title}} stand inside of quotation marks, lists and maps such as {{alerts}} outside`;
    }
  }
  return undefined;
};
