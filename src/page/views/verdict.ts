// Shows what is at fault for the failing tests of a proxy, target or tester, and its uptime without failures of others.

import type { AttributedUptime, SubjectDetails, Uptimes } from '../answers.ts';
import { ago, badge, emptyCell, factList, type Level, table } from '../components.ts';
import { count, percent, seconds } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

type Verdict = SubjectDetails['verdict'];

export const VERDICTS: Readonly<Record<Verdict, readonly [Level, string]>> = {
  ok: ['good', 'OK'],
  proxy_at_fault: ['bad', 'The proxy is at fault'],
  unusable_here: ['bad', 'Unusable from here'],
  target_at_fault: ['fair', 'The target is at fault'],
  tester_at_fault: ['fair', 'The tester is at fault'],
  provider_at_fault: ['bad', 'The provider is at fault'],
  inconclusive: ['fair', 'Cause unknown'],
  unattributed: ['fair', 'Fails in part'],
  untested: ['none', 'Not tested yet'],
};

export const verdictView = (
  { verdict, verdict_text: text, fault_since: since }: SubjectDetails,
  facts: Readonly<Record<string, Value>>,
  now: number,
): Markup => html`<p class="verdict">${badge(...VERDICTS[verdict])} ${text}</p>
${factList({ 'At fault since': since === null ? null : ago(since, now), ...facts })}`;

const SPANS: Readonly<Record<keyof Uptimes, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};

interface Row extends AttributedUptime {
  readonly span: string;
}

export const uptimeTable = (uptimes: Uptimes, subject: string, where = ''): Markup =>
  table<Row>(
    `Uptime of the ${subject}${where}`,
    [
      { name: 'Period', cell: ({ span }) => span },
      {
        name: 'Own uptime',
        cell: ({ own_ratio: ratio }) => ratioCell(ratio),
        kind: 'number',
      },
      { name: 'All tests', cell: ({ ratio }) => ratioCell(ratio), kind: 'number' },
      { name: 'Tests', cell: ({ results }) => count(results), kind: 'number' },
      { name: `Failed by the ${subject}`, cell: ({ own_failures: own }) => countCell(own), kind: 'number' },
      { name: 'Failed by others', cell: ({ other_failures: other }) => countCell(other), kind: 'number' },
      { name: 'Cause unknown', cell: ({ unattributed_failures: rest }) => countCell(rest), kind: 'number' },
      {
        name: 'Response time',
        cell: ({ mean_response_time_seconds: mean }) => (mean === null ? emptyCell() : seconds(mean)),
        kind: 'number',
      },
    ],
    (Object.keys(SPANS) as (keyof Uptimes)[]).map((span) => ({ ...uptimes[span], span: SPANS[span] })),
  );

const ratioCell = (ratio: number | null): Value => (ratio === null ? emptyCell('unknown') : percent(ratio));

const countCell = (value: number | null): Value => (value === null ? emptyCell('unknown') : count(value));
