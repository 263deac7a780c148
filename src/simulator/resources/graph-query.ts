// Parses the query of analytics/graph and checks the rules for ranges, intervals and filters.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { booleanOf, HttpError } from '../http.ts';
import { INTERVALS, type Interval, type LocalTime } from '../local-time.ts';
import { filterIn, type TrafficFilter } from '../traffic/slices.ts';

/** Times in milliseconds; `to` is exclusive. */
export interface Range {
  readonly interval: Interval;
  readonly from: number;
  readonly to: number;
}

export type GraphQuery = ReturnType<typeof parseGraphQuery>;

const PARAMETERS = [
  'preset',
  'period_start',
  'period_end',
  'interval',
  'network',
  'hostname',
  'proxy_user_id',
  'service_id',
  'show_log_concurrency',
];
const PRESETS: Readonly<Record<string, { span: number; interval: Interval }>> = {
  last_hour: { span: HOUR, interval: 'minute' },
  last_day: { span: DAY, interval: 'hour' },
  last_week: { span: 7 * DAY, interval: 'hour' },
  last_30_days: { span: 30 * DAY, interval: 'day' },
  last_60_days: { span: 60 * DAY, interval: 'day' },
  last_90_days: { span: 90 * DAY, interval: 'day' },
  last_year: { span: 365 * DAY, interval: 'month' },
};
const MINUTES_RETENTION = 7 * DAY;
const HOSTNAMES_RETENTION = 90 * DAY;

/**
 * Returns the requested range clipped to the retention: the provider drops minutes after 7 days.
 * Throws HttpError: 400 for a malformed or unknown parameter, 422 for a broken rule.
 */
export const parseGraphQuery = (query: URLSearchParams, local: LocalTime, at: number) => {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new HttpError(400, `Unknown parameter ${unknown}.`);
  const range = rangeOf(query, local, at);
  const filter = filterOf(query);
  const withConcurrency = booleanOf(query, 'show_log_concurrency');
  checkRules(range, filter, withConcurrency, at);
  return { range: clipToRetention(range, at), filter, withConcurrency };
};

const rangeOf = (query: URLSearchParams, local: LocalTime, at: number): Range => {
  const preset = query.get('preset');
  if (preset !== null) return presetRange(preset, local, at);
  const interval = INTERVALS.find((name) => name === query.get('interval'));
  if (!interval) throw new HttpError(400, `interval must be one of ${INTERVALS.join(', ')}.`);
  const start = local.parse(query.get('period_start') ?? '');
  const end = local.parse(query.get('period_end') ?? '');
  if (!start || !end) throw new HttpError(400, 'period_start and period_end must be datetimes or dates.');
  // In the repeated hour the wider range is used. A date without a time covers its whole day.
  const range = {
    interval,
    from: start.first,
    to: end.isDate ? local.nextBucket('day', end.first) : end.last,
  };
  if (range.from >= range.to) throw new HttpError(400, 'period_start must be before period_end.');
  return range;
};

const presetRange = (name: string, local: LocalTime, at: number): Range => {
  const preset = PRESETS[name];
  if (!preset) throw new HttpError(400, `preset must be one of ${Object.keys(PRESETS).join(', ')}.`);
  const { span, interval } = preset;
  return { interval, from: local.nextBucket(interval, local.bucketStart(interval, at - span)), to: at };
};

const filterOf = (query: URLSearchParams): TrafficFilter => {
  const filter = filterIn(query);
  if (filter.network !== undefined && !PRODUCT_TYPES.some((type) => type === filter.network))
    throw new HttpError(400, `network must be one of ${PRODUCT_TYPES.join(', ')}.`);
  return filter;
};

const checkRules = (range: Range, filter: TrafficFilter, withConcurrency: boolean, at: number): void => {
  const isMinuteOrHour = range.interval === 'minute' || range.interval === 'hour';
  if (withConcurrency && !isMinuteOrHour) {
    throw new HttpError(422, 'Concurrency is available for the intervals minute and hour only.');
  }
  const isRecent = range.from >= at - MINUTES_RETENTION && range.to - range.from <= MINUTES_RETENTION;
  if (filter.serviceId !== undefined && !(isMinuteOrHour && isRecent)) {
    throw new HttpError(422, 'service_id needs a period within 7 days and an interval of hour or smaller.');
  }
  if (filter.hostname !== undefined && range.from < at - HOSTNAMES_RETENTION) {
    throw new HttpError(422, 'hostname is not available for data older than 90 days.');
  }
};

const clipToRetention = (range: Range, at: number): Range =>
  range.interval === 'minute'
    ? { ...range, from: Math.max(range.from, Math.ceil((at - MINUTES_RETENTION) / MINUTE) * MINUTE) }
    : range;
