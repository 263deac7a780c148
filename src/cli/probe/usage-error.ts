// Defines the error of a command that could not begin, because of what the operator gave, and which arguments its message
// repeats: any other text may be a password or a token.

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A name of a proxy, URL or account is short, and has no character that separates the parts of a line or an address. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

export const isRepeatable = (text: string): boolean => PLAIN_NAME.test(text);

/** Returns words that follow what is not known, such as an account. */
export const named = (text: string): string => (isRepeatable(text) ? `called ${text}` : 'of this name');

/** Returns the end of a sentence that suggests a name; empty without one. */
export const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
