// Exports the primitives that the configuration's schema is built from, and defines names, ratios and currencies.

import { z } from 'zod';
import { MAX_LABEL_CHARACTERS } from '../lib/family.ts';

export { type DurationLimits, duration, size } from './duration.ts';
export { pathText, relativePath, resolvePath } from './files.ts';
export {
  baseUrl,
  describeInvalidHttpUrl,
  EXPECTED_HTTP_URL,
  hostName,
  httpUrl,
  isHttpUrl,
  type ListenAddress,
  listenAddress,
} from './network.ts';
export { headerValue, objectWithSecrets, pem, secret, userName } from './secrets.ts';
export { cronExpression, type Hours, hours, timeZone } from './time.ts';

export const identifier = () =>
  z.string().regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores');

export const labelText = () => z.string().min(1).max(MAX_LABEL_CHARACTERS);

/** Schema of a part of a whole, from 0 to 1. */
export const ratio = () =>
  z
    .number({ error: 'expected a ratio from 0 to 1' })
    .min(0)
    .max(1)
    .meta({ description: 'A ratio from 0 to 1.', examples: [0.1] });

/** The provider documents cents, and no currency; its examples print 1245 as $12.45, without saying which dollar. */
export const DEFAULT_CURRENCY = 'USD';

/**
 * Schema of a currency with cents. The provider documents every amount as an integer number of cents, and says nothing
 * about currencies whose unit does not have 100 parts, so such amounts are unknown.
 */
export const currency = () =>
  z
    .string({ error: EXPECTED })
    .refine((code) => KNOWN.has(code), { error: EXPECTED, abort: true })
    .refine((code) => !WITHOUT_CENTS.has(code), {
      error: 'expected a currency with cents, because the provider documents all amounts in cents',
    })
    .meta({
      description: 'An ISO 4217 code of a currency with cents.',
      examples: ['USD', 'EUR'],
    });

const EXPECTED = 'expected an ISO 4217 code of three capital letters such as USD or EUR';

const KNOWN: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The currencies that ISO 4217 lists with another number of decimals than two. Intl follows CLDR, which differs. */
const WITHOUT_CENTS: ReadonlySet<string> = new Set(
  (
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ' +
    'BHD IQD JOD KWD LYD OMR TND CLF UYW'
  ).split(' '),
);
