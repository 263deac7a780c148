// Says which class the failed requests of a group of codes belong to.

import { codeRangeOf, type RefusalClass } from '../../lib/refusal-codes.ts';
import { SUCCESS_CODE } from '../../provider/resources/request-log.ts';
import type { ErrorCount, RequestCount } from '../../store/request-log-store.ts';
import { type CodeGroup, digitsOf, groupOf } from './count-codes.ts';

interface ClassText {
  readonly meaning: string;
  /** What to do first. */
  readonly advice: string;
}

export const CLASS_TEXTS: Readonly<Record<RefusalClass, ClassText>> = {
  credentials: {
    meaning: 'the proxy refused the user name or password',
    advice: 'Compare the login in your programs with that of the proxy user.',
  },
  options: {
    meaning: 'the options in the user name are wrong',
    advice: 'Correct the country, city or session in the user name of the proxy.',
  },
  target: {
    meaning: 'the proxy could not reach the target',
    advice: 'Check whether the host name with the most errors works without a proxy.',
  },
  policy: {
    meaning: 'the provider does not allow the target or so long a connection',
    advice: 'Remove this target from your programs, or ask the provider to allow it.',
  },
  quota: {
    meaning: 'a limit of bandwidth, requests or connections is exceeded',
    advice: 'Check the balance, and the quota of the proxy user. Then buy bytes or send fewer requests.',
  },
  no_node: {
    meaning: 'the provider had no exit node for the options',
    advice: 'Use a larger place, or another product type, until the provider has nodes again.',
  },
  provider: {
    meaning: 'the provider reports a fault of its own',
    advice: 'Look at the provider’s status page, and report the code to its support.',
  },
  other: {
    meaning: 'the proxy did not accept the request, or the code is not documented',
    advice: 'Look up the code in the provider’s documentation.',
  },
};

export const textOfClass = (name: string): ClassText =>
  CLASS_TEXTS[name as RefusalClass] ?? CLASS_TEXTS.other;

/** The only code of three digits, besides success, that the provider documents. */
const REDIRECT = 301;

export const classOf = (group: CodeGroup): RefusalClass => {
  const { digits, hasFour } = digitsOf(group);
  if (!hasFour) return digits === REDIRECT ? 'target' : 'other';
  const [, , refusal = 'other'] = codeRangeOf(digits) ?? [];
  return refusal;
};

/** Returns the class of a row; undefined if no code says that the request failed. */
export const classOfCode = (code: number | null): RefusalClass | undefined => {
  const group = code === null || code === SUCCESS_CODE ? undefined : groupOf(code);
  return group === undefined ? undefined : classOf(group);
};

export const failuresIn = (counts: readonly RequestCount[]): number =>
  counts.flatMap(({ errors }) => errors).reduce((sum, { errors }) => sum + errors, 0);

/** Adds up groups of codes by digits and class. `total` has the rows of any code or none, before the groups were counted. */
export const requestCount = (
  productType: string,
  total: number,
  groups: ReadonlyMap<CodeGroup, number>,
): RequestCount => {
  const errors = new Map<string, ErrorCount>();
  let coded = 0;
  for (const [group, rows] of groups) {
    if (rows <= 0) continue;
    coded += rows;
    if (group === SUCCESS_CODE) continue;
    const [refusal, code] = [classOf(group), String(digitsOf(group).digits)];
    const known = errors.get(`${refusal} ${code}`)?.errors ?? 0;
    errors.set(`${refusal} ${code}`, { class: refusal, code, errors: known + rows });
  }
  return { productType, requests: Math.max(total, coded), errors: [...errors.values()] };
};
