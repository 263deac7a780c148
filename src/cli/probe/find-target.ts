// Finds the target that the operator names: a url of the configuration, or an address.

import { closestMatch } from '../../config/closest-match.ts';
import { Secret } from '../../lib/secret.ts';
import type { ProbeTarget } from '../../prober/probe.ts';
import type { Configured } from './configured.ts';
import { didYouMean, named } from './repeatable.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError. */
export const findTarget = (text: string, configured: Configured | undefined): ProbeTarget => {
  const found = configured?.urls.find(({ label }) => label === text);
  if (found) return found.target;
  if (/^https?:\/\//i.test(text)) return { url: new Secret(validAddress(text)), depth: 'http' };
  if (!configured || /:\/\//.test(text))
    throw new UsageError(
      'url: expected an address that begins with https:// or http://, or --config and the name of a URL',
    );
  const labels = configured.urls.map(({ label }) => label);
  throw new UsageError(
    `url: the configuration has no URL ${named(text)}${didYouMean(closestMatch(text, labels))}`,
  );
};

const validAddress = (text: string): string => {
  if (URL.canParse(text)) return text;
  throw new UsageError('url: the address has a mistake; expected one such as https://www.example.com/');
};
