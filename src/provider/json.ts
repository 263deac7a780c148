// Parses the JSON of answers.

const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g;
const HALF = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/**
 * Returns undefined for a text that is not JSON. The parse error is dropped, because its message quotes the text, which
 * may contain passwords. Half a surrogate pair is replaced, as everywhere in UTF-8: the store and Prometheus would
 * otherwise see other names than the rest of the daemon, and receivers refuse it.
 */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(/\\u[dD][89a-fA-F]/.test(text) ? withoutHalves(text) : text);
  } catch {
    return undefined;
  }
};

const withoutHalves = (text: string): string =>
  text.replaceAll(ESCAPE, (sequence) => (HALF.test(sequence) ? '\\ufffd' : sequence));
