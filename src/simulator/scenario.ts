// Defines the schema of a scenario, which describes a simulated account; every field has a default.

import { z } from 'zod';
import { changeSchema } from './faults/changes.ts';
import { discrepancySchema, outageSchema } from './faults/outages.ts';
import { DATETIME_FORMS } from './local-time.ts';
import { proxyFaultSchema } from './proxies/proxy-faults.ts';

const ratio = (value: number) => z.number().min(0).max(1).default(value);
const positive = (value: number) => z.number().positive().default(value);

const testerSchema = z.strictObject({
  id: z.string(),
  city_id: z.int(),
  city_name: z.string(),
  country_id: z.string(),
});

const testers: z.infer<typeof testerSchema>[] = [
  { id: 'london-2-digitalocean-proxytester-1', city_id: 100, city_name: 'London', country_id: 'gb' },
  { id: 'frankfurt-1-digitalocean-proxytester-1', city_id: 101, city_name: 'Frankfurt', country_id: 'de' },
  { id: 'new-york-3-digitalocean-proxytester-1', city_id: 102, city_name: 'New York', country_id: 'us' },
  { id: 'singapore-1-digitalocean-proxytester-1', city_id: 103, city_name: 'Singapore', country_id: 'sg' },
];

const trafficSchema = z.strictObject({
  /** Mean over a week, per product type. */
  requests_per_minute: z
    .strictObject({
      datacenter: z.number().min(0).default(120),
      isp: z.number().min(0).default(90),
      residential: z.number().min(0).default(240),
      mobile: z.number().min(0).default(60),
    })
    .prefault({}),
  bytes_per_request: positive(40_000),
  error_ratio: ratio(0.03),
  /** Share of the residential requests that smartpath routes past the meter. */
  smartpath_ratio: ratio(0.05),
  /** Share of the minutes in which a product type is not used at all. */
  quiet_ratio: ratio(0.02),
  /** A bucket grows from its start until this long after its end. */
  settle_ms: z.int().min(0).default(90_000),
  /** Share of the minutes that stay zero and then appear whole, at most `longest_minutes` after their end. */
  late: z.strictObject({ ratio: ratio(0.01), longest_minutes: positive(60) }).prefault({}),
  /** Share of the minutes that change once more after they settled, by at most a fifth. Half change within hours. */
  revised: z.strictObject({ ratio: ratio(0.005), longest_minutes: positive(3 * 24 * 60) }).prefault({}),
});

export const scenarioSchema = z.strictObject({
  seed: z.int().default(1),
  /** Start of the account's history (ISO 8601). Null is the midnight (UTC) 30 days before the simulator starts. */
  start: z.iso.datetime({ offset: true }).nullable().default(null),
  time_zone: z.string().refine(isTimeZone, 'expected the name of a time zone').default('UTC'),
  /** How answers write datetimes. */
  datetimes: z.enum(DATETIME_FORMS).default('plain'),
  customer_id: z.int().default(4711),
  public_key: z.string().min(1).default('demo-public'),
  private_key: z.string().min(1).default('demo-private'),
  /** Requests per second before 429; null is no limit. */
  pace: z.int().positive().nullable().default(10),
  /** Real time that every answer takes. A test run takes `test_run_delay_ms` in addition. */
  response_delay_ms: z.int().min(0).default(0),
  test_run_delay_ms: z.int().min(0).default(0),
  test_runs_per_day: z.int().min(0).default(5_000),
  users: z.int().min(0).max(100_000).default(40),
  /** Shares of the users by kind of limit. The remaining users have a limit that they do not approach. */
  limits: z
    .strictObject({ unlimited: ratio(0.3), zero: ratio(0.05), near: ratio(0.15), over: ratio(0.1) })
    .prefault({}),
  /** Share of the users whose used bytes are reset at the start of the month. */
  monthly_reset_ratio: ratio(0.3),
  deleted_user_ratio: ratio(0.05),
  proxies: z.int().min(0).max(10_000).default(60),
  services: z.int().min(1).max(1_000).default(4),
  /** Share of the addresses that others place in another country. */
  placed_elsewhere_ratio: ratio(0),
  /** Number of autonomous systems that can be looked up. */
  networks: z.int().min(0).max(1_000).default(120),
  hostnames: z.array(z.string()).min(1).default(['www.example.com', 'shop.example', 'api.example.com']),
  testers: z.array(testerSchema).min(1).default(testers),
  /** Share of the six-hour blocks in which a proxy fails for half an hour to four hours. */
  proxy_incident_ratio: ratio(0),
  outages: z.array(outageSchema).default([]),
  /** Faults of the simulated proxies, which exist only if the simulator starts them. */
  proxy_faults: z.array(proxyFaultSchema).default([]),
  /** Discounts in percent by promotional code. A quote says that any other code is not valid. */
  promotional_codes: z.record(z.string(), z.number().min(0).max(100)).default({ WELCOME: 10 }),
  credit_cents: z.int().min(0).default(5_000),
  may_filter_by_asn: z.boolean().default(true),
  /** Proxies, services and products that are removed, added or changed. */
  changes: z.array(changeSchema).default([]),
  /** Ways in which answers contradict each other. */
  discrepancies: z.array(discrepancySchema).default([]),
  traffic: trafficSchema.prefault({}),
  /** Whether buckets without traffic are sent as zeros or left out. */
  empty_buckets: z.boolean().default(true),
  /** Whether graphs list the buckets of the future too, up to the end of the requested range. */
  future_buckets: z.boolean().default(false),
  /** How long after its start a day is summarised again: host names of one domain become `*.domain`. Null is never. */
  hostnames_merged_after_ms: z.int().min(0).nullable().default(null),
  log: z
    .strictObject({
      /** Share of the failed requests by the provider's code. */
      codes: z
        .record(z.string().regex(/^\d{3,4}$/), z.number().positive())
        .default({ '3101': 5, '8220': 2, '4221': 1, '2011': 1, '4510': 1, '3160': 0.5, '5003': 0.3 }),
      /** Rows that the log has only `by_ms` after the end of their minute. */
      late: z.strictObject({ ratio: ratio(0), by_ms: z.int().min(0).default(0) }).prefault({}),
      /** Strangers who send a share of a user's requests. */
      leaks: z
        .array(
          z.strictObject({
            /** Number of the user. */
            user: z.int().min(0),
            address: z.string(),
            ratio: ratio(0.5),
            from: z.iso.datetime({ offset: true }),
          }),
        )
        .default([]),
      /** Parameters, or words of `sort_by`, that are ignored. */
      ignored: z.array(z.string()).default([]),
    })
    .prefault({}),
  ledger: z
    .strictObject({
      usage_sign: z.enum(['negative', 'positive']).default('negative'),
      /** Writes one usage row per day for each residential service instead of one for the account. */
      per_service: z.boolean().default(false),
      top_up_bytes: z.int().positive().default(100_000_000_000),
      top_up_every_days: z.int().positive().default(7),
      adjustment_every_days: z.int().positive().default(10),
    })
    .prefault({}),
});

export type Scenario = z.infer<typeof scenarioSchema>;
export type ScenarioInput = z.input<typeof scenarioSchema>;
export type Tester = z.infer<typeof testerSchema>;

/** Fills in the defaults. Throws ZodError on a wrong value and on an unknown key. */
export const parseScenario = (input: unknown): Scenario => scenarioSchema.parse(input);

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
