// Defines the answers that the overview joins.

import type {
  AlertGroups,
  Collector,
  Faults,
  Ledger,
  Page,
  Service,
  Silence,
  Traffic,
  Unknown,
  UptimeHistory,
  UserSummary,
} from '../answers.ts';

/** The answers so far. An answer is null if the daemon answered 404. */
export interface OverviewData {
  /** The account that the page shows. */
  readonly account?: string;
  /** False if a reload removed the account. */
  readonly isConfigured?: boolean;
  /** Why the daemon is not ready. */
  readonly notReady?: readonly string[];
  readonly collectors?: readonly Collector[] | Unknown;
  readonly others?: readonly {
    readonly name: string;
    readonly firing: number;
    readonly severity: string | null;
  }[];
  readonly alerts?: AlertGroups | Unknown;
  readonly silences?: readonly Silence[];
  readonly traffic?: Traffic | null | Unknown;
  readonly users?: UserSummary | null | Unknown;
  readonly ledger?: Page<Ledger> | null | Unknown;
  readonly mobileLedger?: Page<Ledger> | null | Unknown;
  readonly services?: Page<Service> | null | Unknown;
  readonly faults?: Faults | null | Unknown;
  readonly targets?: Page<UptimeHistory> | null | Unknown;
}
