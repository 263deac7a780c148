// Reports answers that a test makes.

import { AccountReport } from '../../../src/provider/report/account-report.ts';
import type { EndpointReportJson } from '../../../src/provider/report/endpoint-report.ts';
import type { ObservedAnswer } from '../../../src/provider/report/observed-answer.ts';

export const answerWith = (
  endpoint: string,
  json: unknown,
  changes: Partial<ObservedAnswer> = {},
): ObservedAnswer => ({
  ...{ endpoint, json, status: 200, query: {}, bytes: 1_000, durationMs: 12 },
  ...{ retryAfter: undefined, at: 0, ...changes },
});

/** Returns what the report says of these answers. */
export const reportOf = (...answers: ObservedAnswer[]): ReturnType<AccountReport['toJson']> => {
  const report = new AccountReport('UTC', () => 0);
  for (const answer of answers) report.observe(answer);
  return report.toJson(1);
};

/** Returns what the report says of these answers of one endpoint. */
export const endpointReportOf = (...answers: ObservedAnswer[]): EndpointReportJson => {
  const [report] = reportOf(...answers).endpoints;
  if (!report) throw new Error('no answer was observed');
  return report;
};
