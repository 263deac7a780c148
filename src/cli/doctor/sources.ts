// Checks the sources of proxies to test: files, services and searches.

import { sourcesOf } from '../../collectors/proxy-sources/sources.ts';
import { accountSettings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { ProviderError } from '../../provider/errors.ts';
import { type AccountSession, adviceOn, captureError, mustStopRequests } from './account-session.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';

type Source = ReturnType<typeof sourcesOf>[number];
type SourceList = Awaited<ReturnType<Source['list']>>;

/** Reads each source as a round of tests would, without testing; skips the provider's sources once requests are pointless. */
export async function* checkSources(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, client, settings, scratch } = session;
  if (!account.proxy_tests) return;
  const context = {
    ...{ account: accountSettings(account, settings), options: account.proxy_tests, store: scratch },
    ...{ client, clock: systemClock, log: silentLog, progress: () => {}, countContradiction: () => {} },
    probe: () => Promise.reject(new Error('doctor makes no probes')),
  };
  for (const source of sourcesOf(account.proxy_tests)) {
    const subject = `${account.name}: ${source.name}`;
    if (source.isFromProvider && session.observations.isWrongServer) continue;
    if (source.isFromProvider && mustStopRequests(session)) {
      yield unknown(subject, 'doctor did not read it, because earlier requests to the provider failed');
      continue;
    }
    let list: SourceList | undefined;
    const error = await captureError(session, source.name, async (signal) => {
      list = await source.list({ ...context, signal });
    });
    if (error) yield failed(subject, error.message, adviceOn(error, []));
    else if (list) yield findingOn(subject, list);
  }
}

const findingOn = (subject: string, { proxies, skipped, failure }: SourceList): CheckResult => {
  const found = `${proxies.length} proxies can be tested`;
  if (failure) {
    const { error } = failure;
    const advice = error instanceof ProviderError ? adviceOn(error, []) : 'Correct the file.';
    return failed(subject, `${found}, but ${error.message}`, advice);
  }
  if (skipped > 0) {
    return warning(
      subject,
      `${found}, but ${skipped} others cannot`,
      'Find the proxies without an address, a port or a password.',
    );
  }
  return proxies.length > 0
    ? ok(subject, found)
    : warning(subject, found, 'Check that this is the correct source, and that it contains proxies.');
};
