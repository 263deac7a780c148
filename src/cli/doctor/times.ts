// The provider's clock and time zone against ours, and its pace, by what was noticed while it was asked.

import { systemClock } from '../../lib/clock.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { requestsPerSecond } from '../estimate.ts';
import { type Finding, failed, ok, unknown, warning } from './finding.ts';
import { withOtherZones } from './minutes.ts';
import { hasAnswered, medianOf, providersNow, type Visit } from './visit.ts';
import { judgeZone } from './zone.ts';

/** The header has whole seconds, and an answer takes its time. */
const UNNOTICED_MS = 5 * SECOND;
/** From here on minutes are taken for others. */
const HARMFUL_MS = MINUTE;

export function* checkClock({ account, notes }: Visit): Generator<Finding> {
  if (!hasAnswered(notes)) return;
  const subject = `${account.name}: clock`;
  const offset = medianOf(notes.clockOffsets);
  if (offset === undefined) {
    yield unknown(subject, 'cannot be compared, because the provider sends no Date header');
    return;
  }
  const seconds = Math.round(Math.abs(offset) / SECOND);
  const found = `ours is ${seconds} s ${offset > 0 ? 'behind' : 'ahead of'} the provider's`;
  const advice = "set this machine's clock, by NTP";
  if (Math.abs(offset) <= UNNOTICED_MS)
    yield ok(subject, `within ${UNNOTICED_MS / SECOND} s of the provider's`);
  else yield Math.abs(offset) < HARMFUL_MS ? warning(subject, found, advice) : failed(subject, found, advice);
}

/** What keeps the graph from being read is told of with its endpoint. */
export async function* checkZone(visit: Visit): AsyncGenerator<Finding> {
  const { account, notes } = visit;
  const { traffic, time_zone: zone } = account;
  const subject = `${account.name}: time zone`;
  if (!traffic) yield unknown(subject, `whether it is ${zone} cannot be checked while traffic is off`);
  if (!notes.minutes) return;
  const minutes = await withOtherZones(visit, notes.minutes);
  const now = providersNow(notes);
  if (minutes) yield judgeZone(subject, { minutes, now, zone });
  else
    yield unknown(
      subject,
      `whether it is ${zone} cannot be checked: the graph did not answer`,
      'run doctor again',
    );
}

export function* checkPace({ account, notes, settings }: Visit): Generator<Finding> {
  if (!hasAnswered(notes)) return;
  const subject = `${account.name}: pace`;
  const { requests } = notes;
  const refused = requests.filter(({ code }) => code === '429').length;
  const needed = requestsPerSecond(account, settings.schedule_time_zone, systemClock.now()).toFixed(2);
  const found = `${refused} of ${requests.length} requests refused for it, at ${account.requests_per_second} a second at most; the schedules need ${needed} a second`;
  const advice =
    'lower requests_per_second, or look what else uses these keys (a daemon that runs counts too)';
  yield refused === 0 ? ok(subject, found) : warning(subject, found, advice);
}
