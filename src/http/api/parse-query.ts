// Checks the parameters of a request. Every mistake is an error, because a misspelt filter would otherwise select everything.

import type { z } from 'zod';
import { closestMatch } from '../../config/closest-match.ts';
import type { ParameterMistake } from '../query.ts';
import { ApiError } from './route.ts';

/** Longer names are cut in the answer. */
const MAX_NAME = 50;

/** Returns the values with their defaults, or the first mistake. It begins with the name of the parameter. */
export const parseQuery = (
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
  findUnknownAccount: (requested: readonly string[]) => ParameterMistake | undefined,
): Record<string, unknown> | ApiError => {
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) return new ApiError(400, describeUnknown(unknown, known));
  const { data, error } = schema.safeParse(query);
  if (error) return new ApiError(400, describeIssue(error, query));
  const { account } = data;
  const mistake = Array.isArray(account) ? findUnknownAccount(account)?.mistake : undefined;
  return mistake === undefined ? data : new ApiError(400, mistake);
};

const describeUnknown = (name: string, known: readonly string[]): string => {
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  if (known.length === 0) return `${shown}: unknown parameter; this path has none`;
  const meant = closestMatch(name.slice(0, MAX_NAME), known);
  const question = meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${meant}"?`;
  return `${shown}: unknown parameter; ${question}`;
};

const describeIssue = ({ issues: [issue] }: z.ZodError, query: Readonly<Record<string, unknown>>): string => {
  const [name = '', ...inside] = issue?.path ?? [];
  const values = query[String(name)];
  // A mistake in one of several values has its index in the path.
  const isRepeated = Array.isArray(values) && inside.length === 0;
  return `${String(name)}: ${isRepeated ? `expected one value, but got ${values.length}` : issue?.message}`;
};
