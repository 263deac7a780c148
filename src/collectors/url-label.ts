// Reads the urls of tests and probes from the configuration, and names them without their secrets.

import {
  describeInvalidHttpUrl,
  EXPECTED_HTTP_URL,
  isHttpUrl,
  labelText,
  secret,
} from '../config/primitives.ts';
import { MAX_LABEL_CHARACTERS } from '../lib/family.ts';

/** A url may contain a token, so it is a secret and is shown by its name. */
export const httpUrl = () =>
  secret(
    EXPECTED_HTTP_URL,
    (text) => isHttpUrl(text) && !isTooLong(text),
    (text) => (isHttpUrl(text) && isTooLong(text) ? TOO_LONG : describeInvalidHttpUrl(text)),
  );

/** A path can be the value of a label. */
const isTooLong = (address: string): boolean => urlWithoutSecrets(address).length > MAX_LABEL_CHARACTERS;
const TOO_LONG = `a URL with more than ${MAX_LABEL_CHARACTERS} characters before its query, which is too long for a label`;

export const targetName = labelText()
  .optional()
  .describe(
    'Name of the target. The name is the label `url`. The default is the URL without query and fragment',
  );

export interface NamedUrl {
  readonly name?: string | undefined;
  readonly url: { reveal(): string };
}

/** The value of the label `url`: the name, or the address without userinfo, query and fragment. */
export const urlLabel = ({ name, url }: NamedUrl): string => name ?? urlWithoutSecrets(url.reveal());

const urlWithoutSecrets = (address: string): string => {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
};
