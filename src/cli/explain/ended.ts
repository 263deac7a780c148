// Prints which receivers were notified of an alert, and when an alert last fired that does not fire now.

import { shownTime, subjectOf } from './shown.ts';

type Receivers = readonly { readonly receiver: string; readonly text: string }[];

/** The part of `last_ended` of GET /api/v1/alerts/notices that is printed. */
export interface EndedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly firing_since: string;
  readonly ended_at: string;
  readonly receivers: Receivers;
}

export const receiverLines = (receivers: Receivers): string[] => {
  if (receivers.length === 0) return ['  no receiver is configured, so nobody is notified'];
  const width = Math.max(...receivers.map(({ receiver }) => receiver.length));
  return receivers.map(({ receiver, text }) => `  ${receiver.padEnd(width)}  ${text}`);
};

export const endedLines = (ended: EndedAlert | null): string[] => {
  if (!ended) return ['The history has no time at which it fired.'];
  const { labels, firing_since, ended_at, receivers } = ended;
  const subject = subjectOf(labels);
  return [
    `It last fired from ${shownTime(firing_since)} to ${shownTime(ended_at)}${subject && ` (${subject})`}:`,
    ...receiverLines(receivers),
  ];
};
