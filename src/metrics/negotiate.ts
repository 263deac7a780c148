// Chooses the format by the header Accept, and the encoding by Accept-Encoding.

import type { Format } from './text-format.ts';

export type Encoding = 'gzip' | 'identity';

export interface Negotiated {
  readonly format: Format;
  readonly encoding: Encoding;
}

interface Choice {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** From 0 to 1. 0 means that the client does not accept it. */
  readonly quality: number;
}

/** Never fails. A client that accepts neither format gets text, and one that accepts neither encoding gets it plain. */
export const negotiate = (accept: string | undefined, acceptEncoding: string | undefined): Negotiated => ({
  format: formatOf(choicesOf(accept)),
  encoding: encodingOf(choicesOf(acceptEncoding)),
});

// A wildcard means text, unless the client refuses text. Only clients that name OpenMetrics get it otherwise.
const formatOf = (choices: readonly Choice[]): Format => {
  const openmetrics = choices.filter(isVersion('1.0.0'));
  const named = qualityOf(openmetrics, [OPENMETRICS]);
  const text = qualityOf(choices.filter(isVersion('0.0.4')), ['text/plain', 'text/*', '*/*']);
  if (text > 0) return named >= text ? 'openmetrics' : 'text';
  return qualityOf(openmetrics, [OPENMETRICS, 'application/*', '*/*']) > 0 ? 'openmetrics' : 'text';
};

const OPENMETRICS = 'application/openmetrics-text';

const isVersion =
  (version: string) =>
  ({ parameters }: Choice): boolean =>
    (parameters.get('version') ?? version) === version;

const encodingOf = (choices: readonly Choice[]): Encoding => {
  const gzip = qualityOf(choices, ['gzip', 'x-gzip', '*']);
  return gzip > 0 && gzip >= qualityOf(choices, ['identity', '*']) ? 'gzip' : 'identity';
};

/** Returns the quality of the first of `names` that the client lists; 0 if it lists none. The most specific name is first. */
const qualityOf = (choices: readonly Choice[], names: readonly string[]): number => {
  for (const name of names) {
    const qualities = choices.filter((choice) => choice.name === name).map(({ quality }) => quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
};

const choicesOf = (header = ''): readonly Choice[] =>
  partsOf(header, LIST).map((choice) => {
    const [name = '', ...parameters] = partsOf(choice, CHOICE).map((word) => word.trim().toLowerCase());
    const pairs = new Map(parameters.map(pairOf));
    return { name, parameters: pairs, quality: Number(pairs.get('q') ?? 1) || 0 };
  });

// A comma or semicolon in quotes does not separate.
const LIST = /(?:[^,"]|"(?:\\.|[^"\\])*"?)+/g;
const CHOICE = /(?:[^;"]|"(?:\\.|[^"\\])*"?)+/g;

const partsOf = (text: string, part: RegExp): string[] => text.match(part) ?? [];

const pairOf = (parameter: string): [string, string] => {
  const [key = '', ...value] = parameter.split('=').map((word) => word.trim());
  return [key, value.join('=').replace(/^"(.*)"$/, '$1')];
};
