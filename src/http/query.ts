// Reads repeated query parameters, and finds unknown names among their values.

/** A parameter as received: missing, once or repeated. */
export type Parameter = string | readonly string[] | undefined;

/** A mistake in a parameter. The text begins with the parameter's name. */
export interface ParameterMistake {
  readonly mistake: string;
}

export const valuesOf = (parameter: Parameter): readonly string[] => [parameter ?? []].flat();

/** Reports the first of the requested names that is not known. */
export const findUnknown = (
  parameter: string,
  requested: readonly string[],
  known: readonly string[],
): ParameterMistake | undefined => {
  const unknown = requested.find((name) => !known.includes(name));
  return unknown === undefined
    ? undefined
    : { mistake: `${parameter}: "${unknown}" is not known; expected one of ${known.join(', ')}` };
};
