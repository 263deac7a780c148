// Defines the settings of an account, with the sections of its collectors.

import { z } from 'zod';
import { alertOverrideSchemas } from '../../alerts/settings.ts';
import { catalogOptions } from '../../collectors/catalog/options.ts';
import { geographyOptions } from '../../collectors/geography/options.ts';
import { inventoryOptions } from '../../collectors/inventory/options.ts';
import { probeOptions } from '../../collectors/probes/options.ts';
import { proxyTestOptions } from '../../collectors/proxy-tests/options.ts';
import { proxyUserOptions } from '../../collectors/proxy-users/options.ts';
import { quoteOptions } from '../../collectors/quotes/options.ts';
import { reconciliationOptions } from '../../collectors/reconciliation/reconciliation.ts';
import { ledgerOptions } from '../../collectors/residential-ledger/residential-ledger.ts';
import { serviceOptions } from '../../collectors/services/options.ts';
import { trafficOptions } from '../../collectors/traffic/options.ts';
import { duration, httpUrl, objectWithSecrets, secret, timeZone } from '../../config/primitives.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';

const off = z.literal(false);

/** The address of Byteful's API. Another provider that speaks the same API has another one. */
export const DEFAULT_BASE_URL = 'https://api.byteful.com/1.0';

export const accountSchema = objectWithSecrets(
  {
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
      .describe(
        'Name of the account. The name is the label `account`, and the key of the account’s rows in the store',
      ),
    shard: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the shard that runs the account, from 0. The default is the shard that proxywatch computes from the name. Without shards, this setting has no effect',
      ),
    base_url: httpUrl()
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
    traffic: z
      .union([off, trafficOptions])
      .prefault({})
      .describe('Traffic of the whole account, and of slices'),
    residential_ledger: z
      .union([off, ledgerOptions])
      .prefault({})
      .describe('Added and used residential bytes, and the balance'),
    proxy_users: z.union([off, proxyUserOptions]).prefault({}).describe('Proxy users and their quotas'),
    proxy_tests: z.union([off, proxyTestOptions]).default(false).describe('Tests of proxies by the provider'),
    probes: z
      .union([off, probeOptions])
      .default(false)
      .describe('Probes of proxies from the machine that runs proxywatch'),
    catalog: z.union([off, catalogOptions]).default(false).describe('Products for sale and their stock'),
    quotes: z.union([off, quoteOptions]).default(false).describe('Prices of orders that you configure'),
    geography: z
      .union([off, geographyOptions])
      .default(false)
      .describe('Networks, cities, subdivisions and continents'),
    inventory: z.union([off, inventoryOptions]).default(false).describe('The account’s proxies'),
    services: z.union([off, serviceOptions]).default(false).describe('Purchased services'),
    reconciliation: z
      .union([off, reconciliationOptions])
      .prefault({})
      .describe('Daily comparison of the sources of the account’s traffic'),
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
