// Formats labels and times for explanations of alerts.

export const subjectOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Leaves out the fraction of a second. */
export const shownTime = (at: string): string => at.replace(/\.\d+Z$/, 'Z');

/** What silences an alert now, as in items of GET /api/v1/alerts. */
export interface Silencing {
  readonly silenced_until: string | null;
  readonly silenced_by: readonly {
    readonly silence: string | null;
    readonly comment: string | null;
    readonly maintenance: string | null;
  }[];
}

export const silencingOf = ({ silenced_until: until, silenced_by: by }: Silencing): string => {
  if (until === null || by.length === 0) return '';
  const names = by.map(({ silence, comment, maintenance }) =>
    silence === null ? `maintenance window ${maintenance}` : `silence ${silence} (${comment})`,
  );
  return `, silenced until ${shownTime(until)} by ${names.join(' and ')}`;
};
