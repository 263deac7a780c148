// Renders the summary of an alert: as a template for Prometheus, and with its values for the daemon's notifications.

import type { Finding, Unit } from './alert.ts';

/** Matches `{label}` and `{ label}`. The latter becomes a space and the label's value, or nothing if the label is empty. */
const PLACEHOLDERS = /\{( ?)(\w+)\}/g;

/** By unit: how a template of Prometheus prints the value. */
const VALUE_TEMPLATES: Readonly<Record<Unit, string>> = {
  ratio: '{{ $value | humanizePercentage }}',
  seconds: '{{ $value | humanizeDuration }}',
  bytes: '{{ $value | humanize1024 }}B',
  timestamp: '{{ $value | humanizeTimestamp }}',
  count: '{{ $value }}',
  none: '',
};

/** Returns the summary as a template for the annotations of a rule. */
export const summaryTemplate = (summary: string, unit: Unit): string =>
  summary.replace(PLACEHOLDERS, (_, space, name) => {
    if (name === 'value') return VALUE_TEMPLATES[unit];
    return space ? `{{ with $labels.${name} }} {{ . }}{{ end }}` : `{{ $labels.${name} }}`;
  });

/** Returns the summary with its values. The finding's labels must include `account` if the summary names it. */
export const renderSummary = (summary: string, unit: Unit, { labels, value }: Finding): string =>
  summary.replace(PLACEHOLDERS, (_, space, name) => {
    if (name === 'value') return valueText(value, unit);
    return labels[name] ? `${space}${labels[name]}` : '';
  });

const valueText = (value: number, unit: Unit): string => {
  switch (unit) {
    case 'ratio':
      return `${significant(value * 100)}%`;
    case 'seconds':
      return durationText(value);
    case 'bytes':
      return bytesText(value);
    case 'timestamp':
      return new Date(value * 1_000).toISOString();
    default:
      return String(value);
  }
};

/** Rounds to four digits, as `humanize` in Prometheus does. */
const significant = (value: number): string => String(Number(value.toPrecision(4)));

const BINARY = ['', 'ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const bytesText = (bytes: number): string => {
  const power = Math.min(BINARY.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(bytes))) / 10));
  return `${significant(bytes / 1024 ** power)}${BINARY[power]}B`;
};

const durationText = (seconds: number): string => {
  if (seconds < 0) return `-${durationText(-seconds)}`;
  const [days, hours, minutes, rest] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    Math.floor(seconds) % 60,
  ];
  if (days) return `${days}d ${hours}h ${minutes}m ${rest}s`;
  if (hours) return `${hours}h ${minutes}m ${rest}s`;
  return minutes ? `${minutes}m ${rest}s` : `${significant(seconds)}s`;
};
