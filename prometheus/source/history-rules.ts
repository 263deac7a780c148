// Builds the recording rules over pushed history. `vitest run test/prometheus -u` writes them to their file.

import { stringify } from 'yaml';
import {
  lastMonthToDate,
  monthToDate,
  recentDays,
  twoMonths,
} from '../../grafana/source/billing/calendar.ts';

/** The recorded families, each with the label over which the rules sum. */
const FAMILIES = [
  ['proxywatch_history_traffic_bytes', ''],
  ['proxywatch_history_residential_ledger_used_bytes', 'reason'],
  ['proxywatch_history_mobile_ledger_used_bytes', 'reason'],
] as const;

const RULES = {
  'account_day:NAME:sum': recentDays,
  'account_month:NAME:sum': twoMonths,
  'account:NAME:month_to_date': monthToDate,
  'account:NAME:last_month_to_date': lastMonthToDate,
} as const;

const HEAD = `# Recording rules for an engine that receives the history of proxywatch by remote write. Generated from
# prometheus/source/history-rules.ts. docs/reference/metrics.md explains the recorded series.

`;

/** Each evaluation reads a month, and pushed history is hours old, so more often would not show more. */
const INTERVAL = '15m';

/** Returns the text of the rules' file. */
export const historyRules = (): string => {
  const rules = FAMILIES.flatMap(([family, without]) =>
    Object.entries(RULES).map(([name, expressionOf]) => ({
      record: name.replace('NAME', family),
      expr: expressionOf(family, without),
    })),
  );
  const group = { name: 'proxywatch-history', interval: INTERVAL, rules };
  return HEAD + stringify({ groups: [group] }, { lineWidth: 120 });
};
