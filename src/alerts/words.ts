// The summary of an alert in words: as a template for Prometheus, and filled in by the daemon.

import type { Finding, Unit } from './alert.ts';

/** `{label}`, or `{ label}`: with a space before it where there is such a label, and nothing where there is none. */
const PLACES = /\{( ?)(\w+)\}/g;

/** How Prometheus writes the value in the unit. */
const TEMPLATES: Readonly<Record<Unit, string>> = {
  ratio: '{{ $value | humanizePercentage }}',
  seconds: '{{ $value | humanizeDuration }}',
  bytes: '{{ $value | humanize1024 }}B',
  timestamp: '{{ $value | humanizeTimestamp }}',
  count: '{{ $value }}',
  none: '',
};

export const prometheusText = (summary: string, unit: Unit): string =>
  summary.replace(PLACES, (_, space, name) => {
    if (name === 'value') return TEMPLATES[unit];
    return space ? `{{ with $labels.${name} }} {{ . }}{{ end }}` : `{{ $labels.${name} }}`;
  });

/** The same, with the account's name among the labels. */
export const textOf = (summary: string, unit: Unit, { labels, value }: Finding): string =>
  summary.replace(PLACES, (_, space, name) => {
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

/** Four digits, as Prometheus humanizes. */
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
