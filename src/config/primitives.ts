// Exports the primitives that the configuration's schema is built from.

import { z } from 'zod';

export { currency } from './currency.ts';
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

/** Schema of a part of a whole, from 0 to 1. */
export const ratio = () =>
  z
    .number({ error: 'expected a ratio from 0 to 1' })
    .min(0)
    .max(1)
    .meta({ description: 'A ratio from 0 to 1.', examples: [0.1] });
