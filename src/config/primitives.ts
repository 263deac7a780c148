// The building blocks of which the configuration's schema is made.

import { z } from 'zod';

export { type DurationLimits, duration } from './duration.ts';
export { relativePath } from './folder.ts';
export { type Hours, hours } from './hours.ts';
export { HTTP_URL, httpUrl, isHttpUrl, type ListenAddress, listenAddress, whyNoHttpUrl } from './network.ts';
export { secret, withFileTwins } from './secrets.ts';
export { size } from './size.ts';
export { cronExpression, timeZone } from './time.ts';

/** A part of a whole, from 0 to 1. */
export const ratio = () =>
  z
    .number({ error: 'expected a ratio from 0 to 1' })
    .min(0)
    .max(1)
    .meta({ description: 'A ratio from 0 to 1.', examples: [0.1] });
