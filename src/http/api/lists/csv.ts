// Writes the items of a list as CSV (RFC 4180).

import { z } from 'zod';

/** The names of the fields that lead to a value. */
type FieldPath = readonly string[];

/** Returns the values of an item in the order of the columns: objects have a column for each field. */
export const fieldPathsOf = (schema: z.ZodType, path: FieldPath = []): readonly FieldPath[] => {
  if (schema instanceof z.ZodNullable) return fieldPathsOf(schema.unwrap() as z.ZodType, path);
  if (!(schema instanceof z.ZodObject)) return [path];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    fieldPathsOf(field as z.ZodType, [...path, name]),
  );
};

export const csvHeader = (paths: readonly FieldPath[]): string =>
  csvLine(paths.map((path) => path.join('.')));

export const csvRow = (item: unknown, paths: readonly FieldPath[]): string =>
  csvLine(paths.map((path) => cellOf(valueAt(item, path))));

const valueAt = (item: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name] ?? null, item);

/** Unknown values are empty. Lists and maps are JSON. */
const cellOf = (value: unknown): string => {
  if (value === null) return '';
  if (typeof value === 'string') return withoutFormula(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/**
 * Puts an apostrophe before texts that a spreadsheet would run as a formula, because ids and names come from elsewhere. It
 * also puts one before an apostrophe, so that a reader gets each text back by removing the first apostrophe.
 */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r\n'＝＋－＠]/.test(text) ? `'${text}` : text);

const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
