// Defines the configuration of remote write: the receivers of the history, and what each of them gets.

import { z } from 'zod';
import {
  describeInvalidHttpUrl,
  duration,
  EXPECTED_HTTP_URL,
  headerValue,
  isHttpUrl,
  objectWithSecrets,
  pem,
  secret,
  userName,
} from '../../config/primitives.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';

/** The store keeps days of history for years, so a start further back than ten years is a mistake. */
const LONGEST_START_MS = 3_660 * DAY;

const receiver = objectWithSecrets(
  {
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
      .describe(
        'Label `receiver`, and the key of the receiver’s progress in the store. With another name, the receiver begins at `start` again',
      ),
    basic_auth: objectWithSecrets(
      { username: userName().describe('User name for the receiver') },
      { password: secret().describe('Password for the receiver') },
    )
      .optional()
      .describe('User name and password for the receiver'),
    headers: z
      .record(z.string(), headerValue())
      .prefault({})
      .describe('Further headers of each request, such as the tenant (`X-Scope-OrgID`)'),
    tls: objectWithSecrets(
      {},
      {
        ca: pem().optional().describe('Trusted certificates in PEM, instead of those of the system'),
        cert: pem().optional().describe('Client certificate in PEM'),
        key: pem().optional().describe('Key of the client certificate in PEM'),
      },
    )
      .prefault({})
      .describe('Certificates for an https:// receiver. Files are read again when they change'),
    external_labels: z
      .record(z.string(), z.string().min(1))
      .prefault({})
      .describe('Labels that each series gets for this receiver'),
    start: z
      .union([z.literal('now'), duration({ min: MINUTE, max: LONGEST_START_MS })])
      .prefault('now')
      .describe(
        'Which stored history a new receiver gets: `now` for what happens from now on, or the age of the oldest. In a day that is older than `store.retention.raw`, or that the store has in sums of an hour or of a day, it begins at midnight',
      ),
    request_timeout: duration({ min: SECOND, max: 10 * MINUTE })
      .prefault('30s')
      .describe('Time limit of each request to the receiver'),
  },
  {
    url: secret(EXPECTED_HTTP_URL, isHttpUrl, describeInvalidHttpUrl).describe(
      'Address of the receiver’s remote write endpoint',
    ),
    query_url: secret(EXPECTED_HTTP_URL, isHttpUrl, describeInvalidHttpUrl)
      .optional()
      .describe(
        'Address at which `remote-write verify` queries the receiver, without `/api/v1/query`, as in Grafana. The default follows from a `url` that ends with `/api/v1/write`',
      ),
    bearer_token: secret().optional().describe('Token for the receiver'),
  },
);

export const remoteWriteOptions = z
  .array(receiver)
  .prefault([])
  .describe('Receivers of remote write, which get the history with the time at which it happened');

export type RemoteWriteOptions = z.output<typeof receiver>;
