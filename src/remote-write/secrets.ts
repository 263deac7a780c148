// Lists the texts of a receiver's options that no log may show, so that answers which quote them are hidden.

import type { ReceiverOptions } from './receiver-options.ts';

/** Headers with the name of a tenant. Receivers quote it in their answers, and it is no secret. */
const TENANT_HEADERS: ReadonlySet<string> = new Set(['x-scope-orgid', 'thanos-tenant']);

/** Returns the texts as they are sent now. A file with a new secret may replace them at any time. */
export const secretsOf = ({ url, basicAuth, bearerToken, headers = {} }: ReceiverOptions): string[] => [
  ...secretsInUrl(url.reveal()),
  ...[basicAuth?.password, bearerToken].flatMap((secret) => secret?.reveal() ?? []),
  ...Object.entries(headers).flatMap(([name, value]) =>
    TENANT_HEADERS.has(name.toLowerCase()) ? [] : [value],
  ),
];

/**
 * Parts of a path that are words or numbers, such as `api`, `v1` and `write`. Without this exception, proxywatch would
 * hide the answer of Prometheus that the remote write receiver is not enabled.
 */
const PLAIN_PART = /^(?:[a-z_]{0,12}|v\d|\d{1,10})$/;

const secretsInUrl = (text: string): string[] => {
  const url = URL.parse(text);
  if (!url) return [text];
  const parts = url.pathname.split('/').filter((part) => !PLAIN_PART.test(part));
  return [...parts, ...url.searchParams.values()].filter((part) => part !== '');
};
