// Adds up the results of proxy tests in a period, over all proxies, and sorts the proxies by what their failures were.

import { setImmediate } from 'node:timers/promises';
import { probesAccount } from '../../../collectors/context.ts';
import { HISTORY_SPANS } from '../../../collectors/proxy-tests/uptime-history.ts';
import { urlLabel } from '../../../collectors/url-label.ts';
import { endOfDate, type Period } from '../../../lib/calendar.ts';
import { DAY } from '../../../lib/time.ts';
import type { TestSubject, Uptime } from '../../../store/test-history-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { attributedUptimeJson } from '../tests/uptimes.ts';
import { MOST_NAMED } from './amounts.ts';
import { daysBefore, startOfDate, whereAny } from './period.ts';
import type { Report, UnknownOfReport } from './report-json.ts';

type Account = Pick<AccountView, 'settings' | 'store' | 'clock'>;
type Source = ReportedUptime['source'];
type ReportedUptime = Report['uptime'][number];

/** Some milliseconds of work. */
const PROXIES_AT_ONCE = 20;

export const readUptime = async (
  found: Account,
  source: Source,
  period: Period,
): Promise<{ readonly uptime: ReportedUptime; readonly unknown: UnknownOfReport }> => {
  const { settings, store } = found;
  const account = accountOf(settings.name, source);
  const proxies = {
    without_failures: 0,
    own_failures: 0,
    unexplained_failures: 0,
    other_failures: 0,
    unknown: 0,
  };
  let [results, successes, worst]: [number, number, ReportedUptime['worst']] = [0, 0, []];
  for (const [index, { proxy }] of (await store.tests.proxies(account)).entries()) {
    if (index % PROXIES_AT_ONCE === 0) await setImmediate();
    const uptime = await store.tests.uptime(account, { proxy }, period.from, period.to);
    if (uptime.results === 0) continue;
    results += uptime.results;
    successes += uptime.successes;
    proxies[kindOf(uptime)] += 1;
    const { ratio, own_ratio } = attributedUptimeJson(uptime);
    if (own_ratio !== null && own_ratio < 1)
      worst = [...worst, { proxy_id: proxy, results: uptime.results, ratio, own_ratio }]
        .sort((one, other) => (one.own_ratio ?? 1) - (other.own_ratio ?? 1))
        .slice(0, MOST_NAMED);
  }
  const ratio = results === 0 ? null : successes / results;
  return {
    uptime: { source, results, successes, ratio, proxies, worst },
    unknown: await unknownResults(found, source, period),
  };
};

const accountOf = (account: string, source: Source): string =>
  source === 'probes' ? probesAccount(account) : account;

const kindOf = ({
  results,
  successes,
  ownFailures,
  otherFailures,
}: Uptime): keyof ReportedUptime['proxies'] => {
  if (results === successes) return 'without_failures';
  if (ownFailures === null || otherFailures === null) return 'unknown';
  if (ownFailures > 0) return 'own_failures';
  return results - successes > otherFailures ? 'unexplained_failures' : 'other_failures';
};

/** The store has sums by hour (UTC) of 31 days, and by day of 90. */
const unknownResults = async (
  { settings, store, clock }: Account,
  source: Source,
  period: Period,
): Promise<UnknownOfReport> => {
  const { time_zone: zone, name } = settings;
  const [now, { dates, from, to }] = [clock.now(), period];
  const deleted = daysBefore(period, zone, now - HISTORY_SPANS.day);
  // The days at both ends of a period begin or end within a day of UTC, of which hours are needed.
  const isCut = (edge: number): boolean => edge % DAY !== 0 && edge - (edge % DAY) < now - HISTORY_SPANS.hour;
  const edges = [...(isCut(from) ? dates.slice(0, 1) : []), ...(isCut(to) ? dates.slice(-1) : [])];
  const days = dates.filter((date) => !deleted.includes(date) && endOfDate(zone, date) <= now);
  const periods = days.map((date) => ({ from: startOfDate(zone, date), to: endOfDate(zone, date) }));
  const counts = days.map(() => 0);
  for (const subject of subjectsOf(settings, source)) {
    const sums = await store.tests.uptimes(accountOf(name, source), subject, periods);
    for (const [index, { results }] of sums.entries()) counts[index] = (counts[index] ?? 0) + results;
  }
  return [
    ...whereAny(source, 'the results of these days are deleted', deleted),
    ...whereAny(source, 'some hours of these days are deleted', edges),
    ...whereAny(
      source,
      NO_RESULT[source],
      days.filter((_, index) => counts[index] === 0),
    ),
  ];
};

/** Results of URLs and vantages that are no longer configured count, but are not looked for here. */
const NO_RESULT = {
  proxy_tests: 'no test of the configured urls had a result on these days',
  probes: 'no probe from the configured vantage had a result on these days',
} as const;

/** The subjects that together had all results: the URLs of the provider's tests, or this machine. */
const subjectsOf = ({ proxy_tests, probes }: Account['settings'], source: Source): TestSubject[] => {
  if (source === 'probes') return probes ? [{ tester: probes.vantage }] : [];
  return proxy_tests ? proxy_tests.urls.map((url) => ({ url: urlLabel(url) })) : [];
};
