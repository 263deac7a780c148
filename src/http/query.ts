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
