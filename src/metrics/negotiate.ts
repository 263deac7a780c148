// What a client wants: the format from Accept, the encoding from Accept-Encoding.

import type { Format } from './text-format.ts';

export type Encoding = 'gzip' | 'identity';

export interface Negotiated {
  readonly format: Format;
  readonly encoding: Encoding;
}

interface Choice {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 to 1; 0 is a refusal. */
  readonly quality: number;
}

/** Never fails: who wants neither format gets text, who wants neither encoding gets it plain. */
export const negotiate = (accept: string | undefined, acceptEncoding: string | undefined): Negotiated => ({
  format: formatOf(choicesOf(accept)),
  encoding: encodingOf(choicesOf(acceptEncoding)),
});

// Wildcards mean text: OpenMetrics goes only to who names it, in the version that is served or none.
const formatOf = (choices: readonly Choice[]): Format => {
  const versions = choices.filter(({ parameters }) => (parameters.get('version') ?? '1.0.0') === '1.0.0');
  const openmetrics = qualityOf(versions, ['application/openmetrics-text']);
  const text = qualityOf(choices, ['text/plain', 'text/*', '*/*']);
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text';
};

const encodingOf = (choices: readonly Choice[]): Encoding => {
  const gzip = qualityOf(choices, ['gzip', '*']);
  return gzip > 0 && gzip >= qualityOf(choices, ['identity']) ? 'gzip' : 'identity';
};

/** The quality of the first of `names` that was given, the most specific one first; 0 when none was. */
const qualityOf = (choices: readonly Choice[], names: readonly string[]): number => {
  for (const name of names) {
    const qualities = choices.filter((choice) => choice.name === name).map(({ quality }) => quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
};

const choicesOf = (header = ''): readonly Choice[] =>
  header.split(',').map((choice) => {
    const [name = '', ...parameters] = choice.split(';').map((word) => word.trim().toLowerCase());
    const pairs = new Map(parameters.map(pairOf));
    return { name, parameters: pairs, quality: Number(pairs.get('q') ?? 1) || 0 };
  });

const pairOf = (parameter: string): [string, string] => {
  const [key = '', value = ''] = parameter.split('=').map((word) => word.trim());
  return [key, value.replace(/^"(.*)"$/, '$1')];
};
