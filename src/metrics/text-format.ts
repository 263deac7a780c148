// Formats headers, labels and numbers for the two text formats. Sample lines have the same bytes in both.

import type { Family } from '../lib/family.ts';

export type Format = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The end of the exposition, after the last family. */
export const TRAILERS: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/** Returns the lines `# HELP` and `# TYPE`. OpenMetrics names a counter without the suffix `_total` of its samples. */
export const headerOf = (family: Family, format: Format): string => {
  const name =
    format === 'openmetrics' && family.type === 'counter' ? withoutTotal(family.name) : family.name;
  const help = format === 'openmetrics' ? escapeLabelValue(family.help) : escapeHelp(family.help);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${family.type}\n`;
};

/** Returns `name="value"`. */
export const labelText = (name: string, value: string): string => `${name}="${escapeLabelValue(value)}"`;

/** Formats the `le` of a bucket as a canonical float. OpenMetrics requires `1.0`, and Prometheus 3 turns `1` into it. */
export const bucketBound = (bound: number): string => {
  const text = String(bound);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
};

const withoutTotal = (name: string): string => name.replace(/_total$/, '');

const escapeHelp = (help: string): string => help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

/** Escapes a value of a label. The test makes it faster, because hardly any value contains a character to escape. */
export const escapeLabelValue = (value: string): string =>
  /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
