// Turns listed keys of metadata into labels of an info metric, with a bound for their values.

import { z } from 'zod';
import type { Family } from '../lib/family.ts';
import type { Metadata } from '../lib/label-parts.ts';
import type { Conflict } from './collector.ts';

const SETTING = 'labels_from_metadata';
const MAX_LABELS = 10;
/** Each value makes a group and new series, so there are at most as many of each label. */
const MAX_VALUES = 100;
const REST = 'other';

/** `field` is the provider's name of the metadata, and `info` the metric that gets the labels. */
export const labelsFromMetadata = (field: string, info: string) =>
  z
    .array(
      z
        .string()
        .regex(
          /^(?!__)[a-zA-Z_]\w*$/,
          'expected a valid name of a label: letters, digits and _, and no __ before it',
        ),
    )
    .max(MAX_LABELS)
    .default([])
    .describe(
      `Keys of ${field} that become labels of ${info}. proxywatch reads no other key. Values are cut after 100 characters, and values beyond the first ${MAX_VALUES} of a label become ${REST}`,
    );

/** Names that scrapes and the exposition add. */
const RESERVED = ['account', 'instance', 'job', 'le', 'quantile'];

/** Returns names that are listed twice, or that the metric has already. */
export const metadataLabelMistakes = (
  names: readonly string[],
  { name: metric, labels }: Family,
): Conflict[] =>
  names.flatMap((name, index) => {
    const path = [SETTING, index];
    if (names.indexOf(name) !== index) return [{ path, message: `"${name}" is listed twice` }];
    const isTaken = [...labels, ...RESERVED].includes(name);
    return isTaken ? [{ path, message: `${metric} or its scrape has a label "${name}" already` }] : [];
  });

/** Adds the labels to one metric. Without names, the metric stays the same object. */
export class MetadataLabels<L extends string> {
  readonly family: Family<L>;
  readonly #names: readonly string[];
  readonly #values = new Map<string, Set<string>>();

  constructor(family: Family<L>, names: readonly string[]) {
    this.#names = names;
    this.family =
      names.length === 0 ? family : { ...family, labels: [...family.labels, ...(names as readonly L[])] };
  }

  /** Returns the labels with those of the metadata. A missing value is an empty label. */
  added<T extends object>(labels: T, metadata: Metadata | null | undefined): T {
    if (this.#names.length === 0) return labels;
    const value = (name: string) => (metadata && Object.hasOwn(metadata, name) ? metadata[name] : null) ?? '';
    const more = this.#names.map((name) => [name, this.#bounded(name, value(name))]);
    return { ...labels, ...Object.fromEntries(more) };
  }

  #bounded(name: string, value: string): string {
    const known = this.#values.get(name) ?? new Set();
    this.#values.set(name, known);
    if (value === '' || known.has(value)) return value;
    if (known.size >= MAX_VALUES) return REST;
    known.add(value);
    return value;
  }
}
