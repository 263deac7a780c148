// The two text formats: escaping, numbers, headers. Sample lines are the same bytes in both.

import type { Family } from '../lib/family.ts';

export type Format = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** What ends the exposition, after the last family. */
export const TRAILERS: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/** `# HELP` and `# TYPE`. OpenMetrics names a counter without the `_total` of its samples. */
export const headerOf = (family: Family, format: Format): string => {
  const name =
    format === 'openmetrics' && family.type === 'counter' ? withoutTotal(family.name) : family.name;
  const help = format === 'openmetrics' ? escapeLabelValue(family.help) : escapeHelp(family.help);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${family.type}\n`;
};

/** `name="value"`. */
export const labelText = (name: string, value: string): string => `${name}="${escapeLabelValue(value)}"`;

/** The `le` of a bucket as a canonical float: OpenMetrics wants `1.0`, and Prometheus 3 makes it of `1`. */
export const bucketBound = (bound: number): string => {
  const text = String(bound);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
};

const withoutTotal = (name: string): string => name.replace(/_total$/, '');

const escapeHelp = (help: string): string => help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

// Looking first is the fast way: hardly any value holds a character to escape.
const escapeLabelValue = (value: string): string =>
  /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
