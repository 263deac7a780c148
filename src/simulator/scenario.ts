// What a simulated account is like: the schema of a scenario, every field with a default.

import { z } from 'zod';
import { changeSchema } from './faults/changes.ts';
import { discrepancySchema } from './faults/discrepancies.ts';
import { outageSchema } from './faults/outages.ts';

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
  /** Mean over a week, by product type. */
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
  /** Part of the residential requests that smartpath routes past the meter. */
  smartpath_ratio: ratio(0.05),
  /** Part of the minutes in which a product type is not used at all. */
  quiet_ratio: ratio(0.02),
  /** A bucket grows from its start until this long after its end. */
  settle_ms: z.int().min(0).default(90_000),
  /** Part of the minutes that are zero until, at most this long after their end, they appear whole. */
  late: z.strictObject({ ratio: ratio(0.01), longest_minutes: positive(60) }).prefault({}),
  /** Part of the minutes that change once more after they settled, up or down by at most a fifth; half within hours. */
  revised: z.strictObject({ ratio: ratio(0.005), longest_minutes: positive(3 * 24 * 60) }).prefault({}),
});

export const scenarioSchema = z.strictObject({
  seed: z.int().default(1),
  /** First instant of the account's history (ISO 8601). Null: the midnight (UTC) 30 days before the start. */
  start: z.iso.datetime({ offset: true }).nullable().default(null),
  time_zone: z.string().refine(isTimeZone, 'expected the name of a time zone').default('UTC'),
  customer_id: z.int().default(4711),
  public_key: z.string().min(1).default('demo-public'),
  private_key: z.string().min(1).default('demo-private'),
  /** Requests a second before 429; null lifts it. */
  pace: z.int().positive().nullable().default(10),
  /** Real time that every answer, and a test run on top, takes. */
  response_delay_ms: z.int().min(0).default(0),
  test_run_delay_ms: z.int().min(0).default(0),
  test_runs_per_day: z.int().min(0).default(5_000),
  users: z.int().min(0).max(100_000).default(40),
  /** What a user's limits are, as parts of all users; the rest have a limit with room. */
  limits: z
    .strictObject({ unlimited: ratio(0.3), zero: ratio(0.05), near: ratio(0.15), over: ratio(0.1) })
    .prefault({}),
  /** Part of the users whose used bytes start again with the month. */
  monthly_reset_ratio: ratio(0.3),
  deleted_user_ratio: ratio(0.05),
  proxies: z.int().min(0).max(10_000).default(60),
  services: z.int().min(1).max(1_000).default(4),
  /** Autonomous systems that can be looked up. */
  networks: z.int().min(0).max(1_000).default(120),
  hostnames: z.array(z.string()).min(1).default(['www.example.com', 'shop.example', 'api.example.com']),
  testers: z.array(testerSchema).min(1).default(testers),
  /** Part of the six-hour blocks in which a proxy fails for half an hour to four hours. */
  proxy_incident_ratio: ratio(0),
  outages: z.array(outageSchema).default([]),
  /** Percents off, by the code that gives them; of any other code a quote says that it is not valid. */
  promotional_codes: z.record(z.string(), z.number().min(0).max(100)).default({ WELCOME: 10 }),
  credit_cents: z.int().min(0).default(5_000),
  may_filter_by_asn: z.boolean().default(true),
  /** Proxies, services and products that go, come and become others. */
  changes: z.array(changeSchema).default([]),
  /** What of the answers does not agree. */
  discrepancies: z.array(discrepancySchema).default([]),
  traffic: trafficSchema.prefault({}),
  /** Whether buckets without traffic are sent as zeros or left out. */
  empty_buckets: z.boolean().default(true),
  ledger: z
    .strictObject({
      usage_sign: z.enum(['negative', 'positive']).default('negative'),
      /** One usage row a day for each residential service in place of one for the account. */
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
