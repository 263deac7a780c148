// Finds entries of a configured list that share a label.

import type { Conflict } from './collector.ts';

/** `labels` describe the entries in their order, such as `the url "shop"`. */
export const duplicates = (section: string, labels: readonly string[]): Conflict[] =>
  labels.flatMap((label, index) =>
    labels.indexOf(label) === index
      ? []
      : [{ path: [section, index], message: `${label} is configured twice; give this one another name` }],
  );
