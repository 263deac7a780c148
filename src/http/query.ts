// Reads the target of a request, which clients send as a path or, as to a proxy, as an absolute URL, and its repeated query
// parameters.

/**
 * Returns the path and query of a target. They always begin with a slash, because the router ignores the first character
 * and would serve `*metrics` like `/metrics`.
 */
export const originForm = (target: string): string => target.replace(ABSOLUTE, '').replace(/^(?!\/)/, '/');

/** Returns the host and port of a target that is an absolute URL. */
export const authorityOf = (target: string): string | undefined => ABSOLUTE.exec(target)?.[1];

/** Returns the part of a request's URL that may be logged: the path, because query strings may hold private data. */
export const pathOf = (url: string): string => url.replace(/\?.*$/s, '');

/** Without the name and password that may be before the host. */
const ABSOLUTE = /^https?:\/\/(?:[^/?]*@)?([^/?]*)/i;

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
