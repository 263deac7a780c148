// Formats headers, labels and numbers for the two text formats. Sample lines have the same bytes in both. The last labels are cached,
// because consecutive samples mostly have the same ones.

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

/** Returns `# HELP`, `# TYPE`, and in OpenMetrics `# UNIT`, where a counter is named without the `_total` of its samples. */
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

const escapeLabelValue = (text: string): string => escapeQuoted(labelValue(text));

/** Escapes a text between quotes. The test makes it faster, because hardly any value contains a character to escape. */
const escapeQuoted = (value: string): string =>
  /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;

export class LabelRenderer {
  readonly #account: string;
  #names: readonly string[] = [];
  /** The values of `#names`; later elements are left over from longer lists. */
  readonly #values: string[] = [];
  /** The texts between the values of `#names`. */
  #prefixes: readonly string[] = [];
  #text: string;

  /** The label `account` comes first. An empty account adds no label. */
  constructor(account: string) {
    this.#account = account === '' ? '' : labelText('account', account);
    this.#text = this.#renderText();
  }

  /** Returns the labels in braces; empty without any. Compares values, so callers can reuse one object for all samples. */
  render(names: readonly string[], labels: Readonly<Record<string, string>>): string {
    if (!this.#isCached(names, labels)) {
      this.#useNames(names);
      for (let index = 0; index < names.length; index += 1)
        this.#values[index] = labels[names[index] ?? ''] ?? '';
      this.#text = this.#renderText();
    }
    return this.#text;
  }

  #isCached(names: readonly string[], labels: Readonly<Record<string, string>>): boolean {
    if (names.length !== this.#names.length) return false;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      if (name !== this.#names[index] || labels[name] !== this.#values[index]) return false;
    }
    return true;
  }

  #useNames(names: readonly string[]): void {
    if (names === this.#names) return;
    this.#names = names;
    const start = this.#account === '' ? '{' : `{${this.#account},`;
    this.#prefixes = names.map((name, index) => `${index === 0 ? start : '",'}${name}="`);
  }

  /** Joins few texts, because 100,000 users have 300,000 lists of labels. */
  #renderText(): string {
    const { length } = this.#names;
    if (length === 0) return this.#account === '' ? '' : `{${this.#account}}`;
    let list = '';
    for (let index = 0; index < length; index += 1)
      list += this.#prefixes[index] + escapeLabelValue(this.#values[index] ?? '');
    return `${list}"}`;
  }
}
