// Runs doctor's check of one receiver of remote write.

import type { DoctorContext } from '../../src/cli/doctor/account-session.ts';
import { lineOf } from '../../src/cli/doctor/check-result.ts';
import { checkRemoteWrite } from '../../src/cli/doctor/remote-write.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { makeFolder, openStore } from '../store/support.ts';

/** Returns doctor's line about one receiver. */
export const lineAbout = async (receiver: Readonly<Record<string, unknown>>): Promise<string> => {
  using scratch = openStore(`${makeFolder()}/scratch.db`);
  const settings = settingsSchema.parse({
    remote_write: [{ name: 'engine', ...receiver }],
    accounts: [{ name: 'main', public_key: 'public', private_key: 'private' }],
  });
  const { signal } = new AbortController();
  const context: DoctorContext = {
    settings,
    scratch,
    signal,
    version: '1.2.3',
    reports: [],
    numbers: new Map(),
  };
  const lines: string[] = [];
  for await (const result of checkRemoteWrite(context)) lines.push(lineOf(result));
  return lines.join('\n');
};
