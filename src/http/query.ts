// The parameters of requests, and what is wrong with them.

/** A parameter as it came: absent, once or repeated. */
export type Parameter = string | readonly string[] | undefined;

/** What is wrong with a parameter, its name first. */
export interface Mistake {
  readonly mistake: string;
}

export const valuesOf = (parameter: Parameter): readonly string[] => [parameter ?? []].flat();

/** Says which of the names asked for is not known. */
export const unknownIn = (
  parameter: string,
  asked: readonly string[],
  known: readonly string[],
): Mistake | undefined => {
  const unknown = asked.find((name) => !known.includes(name));
  return unknown === undefined
    ? undefined
    : { mistake: `${parameter}: "${unknown}" is not known, only ${known.join(', ')}` };
};

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const limitOf = (parameter: Parameter): number | Mistake => {
  const [text = String(DEFAULT_LIMIT), ...more] = valuesOf(parameter);
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  return more.length === 0 && limit >= 1 && limit <= MAX_LIMIT
    ? limit
    : { mistake: `limit: expected one whole number from 1 to ${MAX_LIMIT}` };
};
