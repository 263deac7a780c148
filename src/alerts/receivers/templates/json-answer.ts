// Reads the answers of services that say in a JSON object whether they took a request.

import type { Template } from './template.ts';

/**
 * Returns the check of the answers. At these host names, the service itself answers, always with such an object. At other
 * addresses, such as those of relays and of other services with the same format, an answer may be another text.
 */
export const jsonAnswer =
  (hosts: readonly string[], isSuccess: (answer: object) => boolean): NonNullable<Template['isAccepted']> =>
  (text, url) => {
    const answer = objectIn(text);
    return answer ? isSuccess(answer) : !hosts.includes(new URL(url).hostname);
  };

/** Returns the object that the text is as JSON; undefined if it is none. */
export const objectIn = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
