// Formats labels and times for explanations of alerts.

export const subjectOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Leaves out the fraction of a second. */
export const shownTime = (at: string): string => at.replace(/\.\d+Z$/, 'Z');
