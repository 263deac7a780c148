// Names the periods that a report can be about.

export const REPORT_UNITS = ['week', 'month'] as const;
export type ReportUnit = (typeof REPORT_UNITS)[number];
