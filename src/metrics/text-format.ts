// Formats headers, labels and numbers for the two text formats. Sample lines have the same bytes in both.

import { type Family, labelValue } from '../lib/family.ts';

export type Format = 'text' | 'openmetrics';

/**
 * The escaping belongs to version 1.0.0 of OpenMetrics. No name needs any, so each name is its own escaped form.
 * Source: https://prometheus.io/docs/instrumenting/content_negotiation
 */
export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores',
};

/** The end of the exposition, after the last family. */
export const TRAILERS: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/**
 * Returns the lines `# HELP` and `# TYPE`, and in OpenMetrics `# UNIT` if the name ends with a unit. OpenMetrics names a
 * counter without the suffix `_total` of its samples.
 */
export const headerOf = ({ name, help, type }: Family, format: Format): string => {
  if (format === 'text') return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  const base = type === 'counter' ? withoutTotal(name) : name;
  const unit = UNIT.exec(base)?.[1];
  const header = `# HELP ${base} ${escapeQuoted(help)}\n# TYPE ${base} ${type}\n`;
  return unit === undefined ? header : `${header}# UNIT ${base} ${unit}\n`;
};

const UNIT = /_(bytes|seconds|ratio)$/;

/** Returns `name="value"`. */
export const labelText = (name: string, value: string): string => `${name}="${escapeLabelValue(value)}"`;

/** Formats the `le` of a bucket as a canonical float. OpenMetrics requires `1.0`, and Prometheus 3 turns `1` into it. */
export const bucketBound = (bound: number): string => {
  const text = String(bound);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
};

const withoutTotal = (name: string): string => name.replace(/_total$/, '');

const escapeHelp = (help: string): string => help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

export const escapeLabelValue = (text: string): string => escapeQuoted(labelValue(text));

/** Escapes a text between quotes. The test makes it faster, because hardly any value contains a character to escape. */
const escapeQuoted = (value: string): string =>
  /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
