// The status for programs: snake_case keys, times as RFC 3339, durations in seconds. docs/api.md describes it.

import { SECOND } from '../lib/time.ts';
import { rfc3339 } from './rfc3339.ts';
import type { AccountStatus, CollectorStatus, Status } from './view.ts';

export const statusJson = (
  { version, startedAt, accounts }: Status,
  notReadyReasons: readonly string[],
): object => ({
  version,
  started_at: rfc3339(startedAt),
  ready: notReadyReasons.length === 0,
  not_ready_reasons: notReadyReasons,
  accounts: accounts.map(accountJson),
});

const accountJson = ({ name, customerId, collectors }: AccountStatus): object => ({
  name,
  customer_id: customerId,
  collectors: collectors.map(collectorJson),
});

const collectorJson = (collector: CollectorStatus): object => ({
  name: collector.name,
  result: collector.result,
  last_attempt_at: rfc3339(collector.lastAttemptAt),
  last_success_at: rfc3339(collector.lastSuccessAt),
  error: collector.error && { kind: collector.error.kind, message: collector.error.message },
  failures_in_a_row: collector.failuresInARow,
  interval_seconds: collector.intervalMs / SECOND,
  next_run_at: rfc3339(collector.nextAt),
  running_since: rfc3339(collector.runningSince),
  progress: collector.progress && {
    done: collector.progress.done,
    total: collector.progress.total ?? null,
    unit: collector.progress.unit,
  },
});
