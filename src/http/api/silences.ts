// Serves GET, POST and DELETE /api/v1/silences: silences, and the maintenance windows of the configuration.

import { z } from 'zod';
import { duration } from '../../config/duration.ts';
import { currentSubject } from '../../config/former-labels.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import type { SilenceRequest } from '../../store/alert-store.ts';
import { maintenance, type SilenceStatus, type WindowStatus } from '../alert-view.ts';
import { describeElsewhere } from '../query.ts';
import { count, flag, itemOf, jsonOf, orNull, text, time } from './item.ts';
import { type ApiAction, ApiError, action, orUnstored, route } from './route.ts';

export const { schema: silence, json: silenceJson } = itemOf<SilenceStatus>()('Silence', () => ({
  id: text,
  state: z.enum(['pending', 'active', 'expired']),
  account: orNull.text.describe('Null matches alerts of every account, and of the daemon itself'),
  alert: orNull.text.describe('Null matches every alert'),
  subject: orNull.text.describe('Null matches every subject'),
  comment: text,
  starts_at: time,
  ends_at: time,
  until_resolved: flag.describe(
    'Whether it ends before `ends_at` when the alerts that began before it are resolved',
  ),
}));

const windowJson = ({ hours, ...window }: WindowStatus) => ({
  // In answers, the zone and the hours come before the days.
  ...{ name: window.name, time_zone: window.timeZone },
  ...jsonOf(maintenance)({ ...window, hours: `${clockTime(hours.from)}-${clockTime(hours.to)}` }),
});

/** Formats a time of the day (ms since midnight). */
const clockTime = (ms: number): string => {
  const minutes = ms / MINUTE;
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
};

/** Texts are shown in terminals, in which a control character could hide or forge a line. */
const shownText = (expected: string, maxLength: number) =>
  z
    .string({ error: `expected ${expected}` })
    .trim()
    .min(1, `expected ${expected}`)
    .max(maxLength, `expected at most ${maxLength} characters`)
    .refine((shown) => !FORGING.test(shown), 'expected a text without control characters');

/** Control characters, ends of lines, and characters that reverse the direction of a text. */
const FORGING = /\p{Cc}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Bidi_Control}/u;

const MAX_NAME = 200;

const newSilence = z
  .strictObject(
    {
      account: shownText('the name of an account', MAX_NAME).nullish(),
      alert: shownText('the name of an alert', MAX_NAME).nullish(),
      subject: shownText('the value of a label, or label=value', 300).transform(currentSubject).nullish(),
      comment: shownText('a comment: who silences the alert, and why', 500),
      starts_at: instant().nullish().describe('The default is now'),
      ends_at: instant().nullish().describe('Set either `ends_at` or `for`. `until_resolved` needs neither'),
      for: duration({ min: MINUTE }).nullish().describe('Time from the start to the end, such as `2h`'),
      until_resolved: flag
        .nullish()
        .describe(
          'Silence only alerts that match now, until all of them are resolved. `for` or `ends_at` is the latest end. The default is seven days',
        ),
    },
    { error: ({ code, keys }) => (code === 'unrecognized_keys' ? `unknown field ${keys?.[0]}` : EXPECTED) },
  )
  .describe('Set at least one of `account`, `alert` and `subject`')
  .meta({ id: 'NewSilence' });

const EXPECTED = 'expected a JSON object such as {"account": "main", "for": "2h", "comment": "Planned work"}';

function instant() {
  return z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-03-01T12:00:00Z' })
    .transform((at) => Date.parse(at));
}

/** After a week, an alert that still fires is notified again, because it may be forgotten. */
const DEFAULT_UNRESOLVED_MS = 7 * DAY;

/** Returns undefined unless one end is given, or none for a silence until alerts are resolved. */
const requestOf = (body: z.output<typeof newSilence>): SilenceRequest | undefined => {
  const { account = null, alert = null, subject = null, comment, starts_at, ends_at, for: after } = body;
  const untilResolved = body.until_resolved ?? false;
  const ends = [
    ...(typeof ends_at === 'number' ? [{ at: ends_at }] : []),
    ...(typeof after === 'number' ? [{ after }] : []),
  ];
  const [end = untilResolved ? { after: DEFAULT_UNRESOLVED_MS } : undefined] = ends;
  if (!end || ends.length > 1) return undefined;
  return { account, alert, subject, comment, startsAt: starts_at ?? null, end, untilResolved };
};

export const SILENCE_ROUTE = route({
  path: '/api/v1/silences',
  summary: 'Silences and maintenance windows, without pages',
  query: {},
  answer: z.strictObject({
    data: z.array(silence).describe('Expired silences are listed for seven days'),
    maintenance: z.array(maintenance),
  }),
  read: async ({ view: { silences } }) => ({
    data: silences.list().map(silenceJson),
    maintenance: silences.windows().map(windowJson),
  }),
});

export const SILENCE_ACTIONS: readonly ApiAction[] = [
  action({
    method: 'POST',
    path: '/api/v1/silences',
    summary: 'Add a silence',
    body: newSilence,
    answer: silence
      .extend({
        matching_alerts: count.describe('Number of pending and firing alerts that match now'),
        unsilenced_receivers: z
          .array(text)
          .describe('Receivers of the type alertmanager, which get the alerts nevertheless'),
      })
      .meta({ id: 'AddedSilence' }),
    perform: async ({ view, body }) => {
      const request = requestOf(body);
      if (!request)
        throw new ApiError(400, 'for: expected either for or ends_at. until_resolved needs neither');
      const elsewhere = describeElsewhere(view, request.account);
      if (elsewhere !== undefined) throw new ApiError(400, elsewhere);
      const added = await orUnstored(view.silences.add(request));
      if ('refusal' in added) throw new ApiError(400, added.refusal);
      return {
        ...silenceJson(added),
        matching_alerts: added.matchingAlerts,
        unsilenced_receivers: [...added.unsilencedReceivers],
      };
    },
  }),
  action({
    method: 'DELETE',
    path: '/api/v1/silences/{silence_id}',
    summary: 'End a silence, or delete one that has not begun. The matching alerts are notified about again',
    body: z.unknown(),
    answer: z.strictObject({ id: text }),
    perform: async ({ view, path: { silence_id: id = '' } }) => {
      if (await orUnstored(view.silences.remove(id))) return { id };
      throw new ApiError(404, `silence_id: "${id}" is not known`);
    },
  }),
];
