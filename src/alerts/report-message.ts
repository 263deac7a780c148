// Defines the content of a report for receivers. It waits in a queue of its own, so that no alert waits for it.

/** `data` is the JSON that the API answers. */
export interface ReportMessage {
  readonly title: string;
  /** The most important lines, for chats. */
  readonly lines: readonly string[];
  /** The whole report, for emails. */
  readonly text: string;
  readonly data: object;
}

/** The names are those of the stored JSON. */
export interface ReportContent {
  /** The account and the period, as JSON. */
  readonly groupKey: string;
  readonly report: ReportMessage;
}

/** Returns the name of the queue with the reports for a receiver. No receiver can have this name. */
export const reportQueueOf = (receiver: string): string => `${receiver}/report`;
