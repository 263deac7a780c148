// Helpers of the exposition's tests: they read a scrape and parse it.

import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Exposition, Scrape, Selection } from '../../src/metrics/exposition.ts';
import type { Format } from '../../src/metrics/text-format.ts';

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const bodyOf = async ({ body, contentEncoding }: Scrape): Promise<string> => {
  const bytes = await buffer(body);
  return (contentEncoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
};

/** Returns the text of a scrape, read from gzip. */
export const textOf = async (
  exposition: Exposition,
  selection: Selection = {},
  format: Format = 'text',
): Promise<string> => bodyOf(await exposition.scrape({ format, encoding: 'gzip', ...selection }));

/** Parses the text format, independently of the code under test. Throws on a line that it does not understand. */
export const parse = (text: string): ParsedSample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseLine);

const parseLine = (line: string): ParsedSample => {
  const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
  if (!match) throw new Error(`not a sample: ${line}`);
  const [, name = '', list = '', value = ''] = match;
  const pairs = [...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/gs)];
  if (pairs.map(([pair]) => pair).join('') !== list) throw new Error(`not a list of labels: ${list}`);
  const labels = pairs.map(([, label = '', escaped = '']) => [label, unescaped(escaped)] as const);
  return { name, labels: Object.fromEntries(labels), value: Number(value) };
};

const unescaped = (escaped: string): string =>
  escaped.replaceAll(/\\(.)/gs, (_, character: string) => (character === 'n' ? '\n' : character));
