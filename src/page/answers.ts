// Defines the types of the API's answers, derived from the API's own schemas.

import type { z } from 'zod';
import type * as alertView from '../http/alert-view.ts';
import type * as adjustments from '../http/api/adjustments.ts';
import type * as groups from '../http/api/alert-groups.ts';
import type * as alertHistory from '../http/api/alert-history.ts';
import type * as costs from '../http/api/cost.ts';
import type * as customers from '../http/api/customers.ts';
import type * as events from '../http/api/events.ts';
import type * as freshness from '../http/api/freshness.ts';
import type * as inventory from '../http/api/inventory.ts';
import type * as changes from '../http/api/inventory-changes.ts';
import type * as invoice from '../http/api/invoice/invoice-json.ts';
import type * as ledger from '../http/api/ledger.ts';
import type * as market from '../http/api/market.ts';
import type * as notices from '../http/api/notices.ts';
import type * as quotes from '../http/api/quotes.ts';
import type * as report from '../http/api/report/report-json.ts';
import type * as requestErrors from '../http/api/request-errors.ts';
import type * as serviceLabels from '../http/api/service-labels.ts';
import type * as services from '../http/api/services.ts';
import type * as silences from '../http/api/silences.ts';
import type * as status from '../http/api/status.ts';
import type * as failures from '../http/api/tests/failures.ts';
import type * as proxyHours from '../http/api/tests/proxy-hours.ts';
import type * as subjects from '../http/api/tests/subject-routes.ts';
import type * as testNow from '../http/api/tests/test-now.ts';
import type * as tests from '../http/api/tests/tests.ts';
import type * as uptimes from '../http/api/tests/uptimes.ts';
import type * as traffic from '../http/api/traffic.ts';
import type * as usages from '../http/api/usage.ts';
import type * as users from '../http/api/users/user-json.ts';
import type * as userUse from '../http/api/users/user-use-json.ts';

export type Status = z.output<typeof status.status>;
export type Collector = Status['accounts'][number]['collectors'][number];
export type AlertGroup = z.output<typeof groups.alertGroup>;
export type Alert = z.output<typeof alertView.alertItem>;
export type Episode = z.output<typeof alertHistory.episode>;
export type ExplainedAlert = z.output<typeof notices.explainedAlert>;
export type InactiveAlert = z.output<typeof notices.inactiveAlert>;
export type Silence = z.output<typeof silences.silence>;
export type MaintenanceWindow = z.output<typeof alertView.maintenance>;
export type Graph = z.output<typeof traffic.graph>;
export type Traffic = z.output<typeof traffic.traffic> & WithFreshness;
export type Point = z.output<typeof traffic.point>;
export type Events = z.output<typeof events.events>;
export type Event = Events['data'][number];
export type User = z.output<typeof users.user>;
export type UserDetails = z.output<typeof users.userDetails> & WithFreshness;
export type Quota = z.output<typeof users.quota>;
export type UserSummary = z.output<typeof users.summary> & WithFreshness;
export type Cost = z.output<typeof costs.cost>;
export type Customer = z.output<typeof customers.customer>;
export type Usage = z.output<typeof usages.usage> & WithFreshness;
export type LabelUsage = Usage['labels'][number];
export type RequestErrors = z.output<typeof requestErrors.requestErrors> & WithFreshness;
export type RequestErrorSum = RequestErrors['data'][number];
export type UsageSum = Usage['data'][number];
export type Adjustment = z.output<typeof adjustments.adjustment>;
export type Ledger = z.output<typeof ledger.ledger>;
export type Balance = z.output<typeof ledger.balance>;
export type LedgerDay = z.output<typeof ledger.day>;
export type Invoice = z.output<typeof invoice.invoice> & WithFreshness;
export type Report = z.output<typeof report.report>;
export type TestedProxy = z.output<typeof tests.proxy>;
export type Test = z.output<typeof tests.test.schema>;
export type ProxyDetails = z.output<typeof subjects.proxyDetails> & WithFreshness;
export type SubjectDetails = Pick<
  ProxyDetails,
  'verdict' | 'verdict_text' | 'uptime' | 'fault_since' | 'freshness'
>;
export type TesterDetails = SubjectDetails & z.output<typeof tests.tester.schema>;
export type InventoryProxy = z.output<typeof inventory.proxy>;
export type InventoryProxyDetails = InventoryProxy & WithFreshness;
export type TestCell = ProxyDetails['tests'][number];
export type FromHere = ProxyDetails['from_here'] & {};
export type TestNow = z.output<typeof testNow.testNow>;
export type PlannedTests = TestNow['plans'][number];
export type RequestedTests = TestNow['last'] & {};
export type Uptimes = z.output<typeof uptimes.uptimes>;
export type AttributedUptime = z.output<typeof uptimes.attributedUptime>;
export type TestHistory = z.output<typeof uptimes.history> & WithFreshness;
export type Failure = z.output<typeof failures.failure>;
export type InventoryChange = z.output<typeof changes.change>;
export type UserUse = z.output<typeof userUse.userUse> & WithFreshness;
export type LabelShares = z.output<typeof userUse.labelUse>;
export type UserRanking = z.output<typeof userUse.ranking> & WithFreshness;
export type UptimeHistory = z.output<typeof uptimes.uptimeHistory>;
export type ProxyHours = z.output<typeof proxyHours.proxyHours>;
export type UptimeStep = UptimeHistory['hours'][number];
export type Fault = z.output<typeof uptimes.fault>;
export type Service = z.output<typeof services.service>;
export type ServiceLabel = z.output<typeof serviceLabels.serviceLabels>;
export type ServiceSummary = z.output<typeof serviceLabels.serviceSummary> & WithFreshness;
export type ServiceDetails = Service & WithFreshness;
export type Quote = z.output<typeof quotes.quote>;
export type Product = z.output<typeof market.product>;

export type Freshness = z.output<typeof freshness.freshness>;

/** Answers with a collector's data say how fresh it is for each requested account; the page requests one. */
interface WithFreshness {
  readonly freshness: readonly Freshness[];
}

/** Stands for an answer while the daemon reports an error instead. Null stands for an answer of 404. */
export type Unknown = 'unknown';

export interface Page<T> extends Partial<WithFreshness> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** A page of a list that the API counts. */
export interface CountedPage<T> extends Page<T> {
  readonly total: number;
}

export interface Faults extends CountedPage<Fault> {
  /** On all pages. */
  readonly total_by_kind: z.output<typeof uptimes.totalByKind>;
}

export interface Notices extends Page<ExplainedAlert> {
  /** Why accounts have no active alert. Empty on later pages. */
  readonly inactive: readonly InactiveAlert[];
}

export interface Silences {
  readonly data: readonly Silence[];
  readonly maintenance: readonly MaintenanceWindow[];
}

export interface AlertGroups {
  readonly evaluated: boolean;
  /** Null before the first evaluation. */
  readonly evaluated_at: string | null;
  readonly data: readonly AlertGroup[];
  readonly counts: readonly z.output<typeof groups.accountAlerts>[];
}
