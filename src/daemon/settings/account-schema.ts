// Defines the settings of an account, with the sections of its collectors.

import { z } from 'zod';
import { alertOverrideSchemas } from '../../alerts/settings.ts';
import type { Collector } from '../../collectors/collector.ts';
import type { CollectorName } from '../../collectors/context.ts';
import { COLLECTORS, type COLLECTORS_BY_NAME } from '../../collectors/index.ts';
import {
  baseUrl,
  currency,
  DEFAULT_CURRENCY,
  duration,
  identifier,
  objectWithSecrets,
  secret,
  timeZone,
} from '../../config/primitives.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';

const off = z.literal(false);

/** The address of Byteful's API. Another provider that speaks the same API has another one. */
export const DEFAULT_BASE_URL = 'https://api.byteful.com/1.0';

/** Returns the schema of a collector's section. `false` turns the collector off. */
const sectionOf = ({ description, isOnByDefault, options }: Collector): z.ZodType => {
  const section = z.union([off, options]);
  return (isOnByDefault ? section.prefault({}) : section.default(false)).describe(description);
};

const collectorSections = Object.fromEntries(
  COLLECTORS.map((collector) => [collector.name, sectionOf(collector)]),
) as { readonly [N in CollectorName]: z.ZodType<false | OptionsOf<N>> };

type OptionsOf<N extends CollectorName> = z.output<(typeof COLLECTORS_BY_NAME)[N]['options']>;

export const accountSchema = objectWithSecrets(
  {
    name: identifier().describe(
      'Name of the account. The name is the label `account`, and the key of the account’s rows in the store',
    ),
    shard: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the shard that runs the account, from 0. The default is the shard that proxywatch computes from the name. Without shards, this setting has no effect',
      ),
    base_url: baseUrl()
      .prefault(DEFAULT_BASE_URL)
      .describe('Address of the provider’s API, with the API version at its end'),
    time_zone: timeZone().prefault('UTC').describe('Time zone of the provider’s datetimes'),
    schedule_time_zone: timeZone()
      .optional()
      .describe('Time zone of the account’s schedules. The default is the global schedule_time_zone'),
    response_time_unit: z
      .enum(['milliseconds', 'seconds'])
      .default('milliseconds')
      .describe('Unit of the provider’s response times of proxy tests'),
    currency: currency()
      .default(DEFAULT_CURRENCY)
      .describe('Currency of the provider’s prices. The default is the currency of the provider’s examples'),
    requests_per_second: z
      .number()
      .positive()
      .max(1_000_000)
      .default(8)
      .describe('Maximum number of requests per second that all collectors of the account send together'),
    request_timeout: duration({ min: SECOND, max: 10 * MINUTE })
      .prefault('30s')
      .describe('Time limit of each attempt to send a request and receive its answer'),
    parameters: z
      .strictObject({
        product_type: z
          .string()
          .min(1)
          .default('network')
          .describe('Name of the request parameter that filters traffic by product type'),
        concurrency: z
          .string()
          .min(1)
          .default('show_log_concurrency')
          .describe(
            'Name of the request parameter with which proxywatch requests the concurrency of traffic',
          ),
      })
      .prefault({})
      .describe('Names of request parameters that the provider’s documentation does not name'),
    ...collectorSections,
    alerts: z
      .strictObject(alertOverrideSchemas(['account']))
      .prefault({})
      .describe('Changes to alerts, for this account only'),
  },
  {
    public_key: secret().describe('Public key of the account'),
    private_key: secret().describe('Private key of the account'),
  },
);
