// proxywatch notify --explain: prints why each receiver of a running daemon was notified of an alert, or not.

import type { z } from 'zod';
import type { endedAlert } from '../http/alert-view.ts';
import type { explainedAlert, inactiveAlert } from '../http/api/notices.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { askDaemon } from './daemon-client.ts';
import { countOf, shownTime } from './format.ts';
import type { ConnectionOptions } from './options.ts';

export interface ExplainOptions extends ConnectionOptions {
  readonly explain: string;
  readonly account?: string;
  readonly subject?: string;
}

type ExplainedAlert = z.output<typeof explainedAlert>;
type EndedAlert = z.output<typeof endedAlert>;
type Labels = EndedAlert['labels'];
type Receivers = readonly Pick<EndedAlert['receivers'][number], 'receiver' | 'text'>[];

/** The part of the answer of GET /api/v1/alerts/notices that is printed. */
interface Answer {
  readonly matching: number;
  readonly data: readonly ExplainedAlert[];
  readonly inactive: readonly z.output<typeof inactiveAlert>[];
  readonly last_ended: EndedAlert | null;
}

const MAX_ALERTS = 20;
/** The daemon does not know whether such an alert fires. */
const NOWHERE: readonly string[] = ['evaluation_off', 'prometheus_only'];

/** Throws DaemonError. */
export const explain = async (context: CommandContext, options: ExplainOptions): Promise<ExitCode> => {
  const { explain: alert, account, subject } = options;
  const query = new URLSearchParams({ alert });
  if (account !== undefined) query.set('account', account);
  if (subject !== undefined) query.set('subject', subject);
  const path = `api/v1/alerts/notices?${query}&limit=${MAX_ALERTS}`;
  const answer = (await askDaemon(context, options, 'GET', path)) as Answer;
  const isKnown = answer.data.length > 0 || answer.inactive.some(({ status }) => NOWHERE.includes(status));
  const lines = [
    ...answer.data.flatMap((each) => [...alertLines(each), '']),
    ...moreLines(answer),
    ...inactiveLines(answer, options),
    ...(isKnown ? [] : endedLines(answer.last_ended)),
  ];
  context.stdout.write(`${lines.map(printable).join('\n').trimEnd()}\n`);
  return 0;
};

const alertLines = (explained: ExplainedAlert): string[] => {
  const { alert, severity, state, labels, since, firing_since, receivers } = explained;
  return [
    `${[alert, subjectOf(labels)].filter(Boolean).join(', ')}: ${severity}, ${state} since ${shownTime(firing_since ?? since)}${silencingOf(explained)}`,
    ...receiverLines(receivers),
  ];
};

const subjectOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

const silencingOf = ({ silenced_until: until, silenced_by: by }: ExplainedAlert): string => {
  if (until === null || by.length === 0) return '';
  const names = by.map(({ silence, comment, maintenance }) =>
    silence === null ? `maintenance window ${maintenance}` : `silence ${silence} (${comment})`,
  );
  return `, silenced until ${shownTime(until)} by ${names.join(' and ')}`;
};

const receiverLines = (receivers: Receivers): string[] => {
  if (receivers.length === 0) return ['  no receiver is configured, so nobody is notified'];
  const width = Math.max(...receivers.map(({ receiver }) => receiver.length));
  return receivers.map(({ receiver, text }) => `  ${receiver.padEnd(width)}  ${text}`);
};

const endedLines = (ended: EndedAlert | null): string[] => {
  if (!ended) return ['The history has no time at which it fired.'];
  const { labels, firing_since, ended_at, receivers } = ended;
  const subject = subjectOf(labels);
  return [
    `It last fired from ${shownTime(firing_since)} to ${shownTime(ended_at)}${subject && ` (${subject})`}:`,
    ...receiverLines(receivers),
  ];
};

const moreLines = ({ matching, data }: Answer): string[] => {
  const left = matching - data.length;
  if (left <= 0) return [];
  const verb = left === 1 ? 'matches' : 'match';
  return [`${countOf(left, 'more alert')} ${verb}. Choose one with --account or --subject.`, ''];
};

/** If alerts are active, an account whose condition does not hold is no news. */
const inactiveLines = ({ data, inactive }: Answer, { explain: alert, subject }: ExplainOptions): string[] => {
  const shown = inactive.filter(({ status }) => data.length === 0 || status !== 'condition_false');
  const ofSubject = subject === undefined ? '' : `, subject ${subject}`;
  const more = shown.length - MAX_ALERTS;
  return [
    ...shown
      .slice(0, MAX_ALERTS)
      .flatMap(({ account, status, text, suppressed }) => [
        `${alert}${account === null ? '' : `, account ${account}`}${ofSubject}: ${NOWHERE.includes(status) ? '' : 'not firing: '}${text}`,
        ...suppressed.map(
          (each) =>
            `  ${subjectOf(each.labels) || 'the account'}: suppressed by ${each.suppressed_by.join(', ')}`,
        ),
      ]),
    ...(more > 0 ? [`${countOf(more, 'more account')}. Choose one with --account.`] : []),
    ...(data.length === 0 && subject !== undefined ? ['To see all subjects, leave --subject out.'] : []),
  ];
};

/** Names come from the provider. A control character in them could hide or forge a line. */
const printable = (line: string): string => line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
