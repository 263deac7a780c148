// Defines the types of the API's answers, derived from the API's own schemas.

import type { z } from 'zod';
import type * as alertHistory from '../http/api/alert-history.ts';
import type * as alerts from '../http/api/alerts.ts';
import type * as freshness from '../http/api/freshness.ts';
import type * as ledger from '../http/api/ledger/ledger.ts';
import type * as market from '../http/api/market.ts';
import type * as quotes from '../http/api/quotes.ts';
import type * as services from '../http/api/services.ts';
import type * as silences from '../http/api/silences.ts';
import type * as status from '../http/api/status.ts';
import type * as tests from '../http/api/tests/tests.ts';
import type * as uptimes from '../http/api/tests/uptimes.ts';
import type * as traffic from '../http/api/traffic/traffic-json.ts';
import type * as users from '../http/api/users/user-json.ts';

export type Status = z.output<typeof status.status>;
export type Collector = z.output<typeof status.collector>;
export type Alert = z.output<typeof alerts.alertItem>;
export type Episode = z.output<typeof alertHistory.episode>;
export type Silence = z.output<typeof silences.silence>;
export type MaintenanceWindow = z.output<typeof silences.maintenance>;
export type Graph = z.output<typeof traffic.graph>;
export type Traffic = z.output<typeof traffic.traffic> & WithFreshness;
export type Point = z.output<typeof traffic.point>;
export type User = z.output<typeof users.user>;
export type Quota = z.output<typeof users.quota>;
export type UserSummary = z.output<typeof users.summary> & WithFreshness;
export type Ledger = z.output<typeof ledger.ledger>;
export type Balance = z.output<typeof ledger.balance>;
export type LedgerDay = z.output<typeof ledger.day>;
export type TestedProxy = z.output<typeof tests.proxy>;
export type Test = z.output<typeof tests.test>;
export type UptimeHistory = z.output<typeof uptimes.uptimeHistory>;
export type UptimeStep = UptimeHistory['hours'][number];
export type Fault = z.output<typeof uptimes.fault>;
export type Service = z.output<typeof services.service>;
export type Quote = z.output<typeof quotes.quote>;
export type Product = z.output<typeof market.product>;

export type Freshness = z.output<typeof freshness.freshness>;

/** Answers with a collector's data say how fresh it is for each requested account; the page requests one. */
interface WithFreshness {
  readonly freshness: readonly Freshness[];
}

/** A page of a list. */
export interface Page<T> extends Partial<WithFreshness> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export interface Silences {
  readonly data: readonly Silence[];
  readonly maintenance: readonly MaintenanceWindow[];
}

export interface Alerts extends Page<Alert> {
  /** Whether the daemon evaluates alerts itself. */
  readonly evaluated: boolean;
  /** Null before the first evaluation. */
  readonly evaluated_at: string | null;
}
