// Writes the provider report of a doctor's run to a file.

import { providerReport } from '../../provider/report/provider-report.ts';
import { writeOutputFile } from '../output-file.ts';
import type { DoctorContext } from './account-session.ts';
import { type CheckResult, ok } from './check-result.ts';

/** Call it after all checks, because it reports the answers that they got. Throws the system's errors. */
export const writeReport = async (
  file: string,
  { version, reports, signal }: Pick<DoctorContext, 'version' | 'reports' | 'signal'>,
): Promise<CheckResult> => {
  const pieces = (async function* () {
    yield `${JSON.stringify(providerReport(version, reports), null, 2)}\n`;
  })();
  await writeOutputFile(file, pieces, signal);
  const found = `${file} lists how the provider's answers differ from its documentation, and contains no value of any field`;
  return ok('provider report', found);
};
