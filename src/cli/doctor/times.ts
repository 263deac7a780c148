// Checks the provider's clock, time zone and pace by the observations made during the other checks.

import { systemClock } from '../../lib/clock.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { requestsPerSecond } from '../estimate.ts';
import { type AccountSession, hasAnswered, medianOf, providerNow } from './account-session.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';
import { addMinutesOfOtherZones } from './traffic-minutes.ts';
import { zoneFinding } from './zone.ts';

/** The Date header has whole seconds, and an answer takes some time. */
const TOLERATED_OFFSET_MS = 5 * SECOND;
/** From this offset on, traffic is assigned to wrong minutes. */
const HARMFUL_OFFSET_MS = MINUTE;

export function* checkClock({ account, observations }: AccountSession): Generator<CheckResult> {
  if (!hasAnswered(observations) || observations.isWrongServer) return;
  const subject = `${account.name}: clock`;
  const offset = medianOf(observations.clockOffsets);
  if (offset === undefined) {
    yield unknown(subject, 'doctor could not check it, because the provider sends no Date header');
    return;
  }
  const seconds = Math.round(Math.abs(offset) / SECOND);
  const found = `this machine's clock is ${seconds} s ${offset > 0 ? 'behind' : 'ahead of'} the provider's`;
  const advice = 'Set the clock of this machine, for example with NTP.';
  if (Math.abs(offset) <= TOLERATED_OFFSET_MS)
    yield ok(subject, `this machine's clock is within ${TOLERATED_OFFSET_MS / SECOND} s of the provider's`);
  else
    yield Math.abs(offset) < HARMFUL_OFFSET_MS
      ? warning(subject, found, advice)
      : failed(subject, found, advice);
}

/** If the graph cannot be read, the finding of its endpoint reports why. */
export async function* checkZone(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, observations } = session;
  const { traffic, time_zone: zone } = account;
  const subject = `${account.name}: time zone`;
  if (observations.isWrongServer) return;
  if (!traffic)
    yield unknown(
      subject,
      `doctor could not check whether it is ${zone}, because the traffic collector is off`,
    );
  if (!observations.minutes) return;
  const minutes = await addMinutesOfOtherZones(session, observations.minutes);
  const now = providerNow(observations);
  if (minutes) yield zoneFinding(subject, { minutes, now, zone });
  else
    yield unknown(
      subject,
      `doctor could not check whether it is ${zone}, because analytics/graph did not answer`,
      'Run doctor again.',
    );
}

export function* checkPace({ account, observations, settings }: AccountSession): Generator<CheckResult> {
  if (!hasAnswered(observations) || observations.isWrongServer) return;
  const subject = `${account.name}: pace`;
  const { requests } = observations;
  const refused = requests.filter(({ code }) => code === '429').length;
  const needed = requestsPerSecond(account, settings.schedule_time_zone, systemClock.now()).toFixed(2);
  const found = `the provider answered 429 to ${refused} of ${requests.length} requests, at up to ${account.requests_per_second} a second, and the schedules need ${needed} a second`;
  const advice =
    'Lower requests_per_second, or find other programs that use these keys, such as a running daemon.';
  yield refused === 0 ? ok(subject, found) : warning(subject, found, advice);
}
