// Finds the target that the operator names, a url of the configuration or an address, and adds the depth and the expectations
// of the options to it.

import { NO_ANSWER, NO_TLS } from '../../collectors/probes/mistakes.ts';
import { isHttps } from '../../collectors/probes/targets.ts';
import { closestMatch } from '../../config/closest-match.ts';
import { Secret } from '../../lib/secret.ts';
import type { TextPattern } from '../../lib/text-pattern.ts';
import type { Depth, ProbeTarget } from '../../prober/probe.ts';
import { type Configured, didYouMean, named, UsageError } from './configured.ts';

/** What the options say about the answer of the target. */
export interface Wanted {
  /** That of the configured url if not given, or else http. */
  readonly depth?: Depth;
  readonly status?: readonly number[];
  readonly header?: Readonly<Record<string, TextPattern>>;
  readonly body?: TextPattern;
}

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

/** Throws UsageError if the depth could not show what is expected. */
export const withExpectations = (target: ProbeTarget, wanted: Wanted): ProbeTarget => {
  const { status, header, body } = wanted;
  const depth = depthOf(target, wanted);
  if (depth === 'tls' && !isHttps(target.url)) throw new UsageError(`--depth: ${NO_TLS}`);
  // A smaller depth than that of the configuration leaves its expectations out.
  if (depth !== 'http') return { ...target, depth, expect: undefined };
  const expect = {
    status: status ?? target.expect?.status,
    headers: header ?? target.expect?.headers,
    body: body ?? target.expect?.body,
  };
  return { ...target, depth, expect };
};

/** An expected answer needs a request, so it raises the depth of a configured URL. */
const depthOf = (target: ProbeTarget, { depth, status, header, body }: Wanted): Depth => {
  const [option] = Object.entries({ status, header, body }).flatMap(([name, value]) => (value ? [name] : []));
  if (option === undefined) return depth ?? target.depth;
  if (depth === undefined || depth === 'http') return 'http';
  throw new UsageError(`--${option}: ${NO_ANSWER}; use --depth http`);
};
