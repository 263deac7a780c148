// Defines settings that receivers of several types have.

import { z } from 'zod';
import { describeInvalidHttpUrl, EXPECTED_HTTP_URL, isHttpUrl, secret } from '../../config/primitives.ts';

export const receiverName = () =>
  z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
    .optional()
    .describe(
      'Label `receiver`, and the name of the queue. The default is the type. If several receivers have the same type, each receiver after the first also has a number, such as webhook-2',
    );

/** A URL is a secret, because everyone who knows it can send notifications to it. */
export const secretUrl = () => secret(EXPECTED_HTTP_URL, isHttpUrl, describeInvalidHttpUrl);
