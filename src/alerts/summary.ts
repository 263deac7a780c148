// Renders the summary of an alert as a template for Prometheus and with its values for notifications, in the same words.

import type { Finding, Unit } from './alert.ts';

/** Matches a part in brackets with a placeholder, such as `[, graph {graph}]`. After `|` is the text without a value. */
const OPTIONAL_PARTS = /\[([^[\]{}|]*)\{(\w+)\}([^[\]{}|]*)(?:\|([^[\]{}|]*))?\]/g;
const PLACEHOLDERS = /\{(\w+)\}/g;

/** By unit: how a template of Prometheus prints the value. */
const VALUE_TEMPLATES: Readonly<Record<Unit, string>> = {
  ratio: '{{ printf "%.2g" $value | humanizePercentage }}',
  // Prometheus writes all units, such as 1d 16h 0m 0s. The two largest are enough, and zeros are left out.
  seconds:
    '{{ printf "%.0f" $value | humanizeDuration | reReplaceAll `([dh] \\d+[hm]) .*` "$1" | reReplaceAll ` 0[hms]` "" }}',
  bytes: '{{ printf "%.2g" $value | humanize | reReplaceAll `^[-0-9.]+` "$0 " }}B',
  timestamp: '{{ (toTime $value).Format "2006-01-02 15:04" }} UTC',
  count: '{{ printf "%.0f" $value }}',
  none: '',
};

export const summaryTemplate = (summary: string, unit: Unit): string => {
  const withLabels = summary.replace(OPTIONAL_PARTS, (_, before, name, after, otherwise) =>
    name === 'reason'
      ? ''
      : `{{ with $labels.${name} }}${before}{{ . }}${after}${otherwise === undefined ? '' : `{{ else }}${otherwise}`}{{ end }}`,
  );
  return withLabels.replace(/\{\{.*?\}\}|\{(\w+)\}/g, (whole, name) => {
    if (name === undefined) return whole;
    return name === 'value' ? VALUE_TEMPLATES[unit] : `{{ $labels.${name} }}`;
  });
};

/** Returns the summary with its values. The finding's labels must include `account` if the summary names it. */
export const renderSummary = (
  summary: string,
  unit: Unit,
  { labels, value, reason = '' }: Finding,
): string => {
  const words: Finding['labels'] = { ...labels, reason };
  return summary
    .replace(OPTIONAL_PARTS, (_, before, name, after, otherwise = '') =>
      words[name] ? `${before}{${name}}${after}` : otherwise,
    )
    .replace(PLACEHOLDERS, (_, name) => (name === 'value' ? valueText(value, unit) : (words[name] ?? '')));
};

const valueText = (value: number, unit: Unit): string => {
  switch (unit) {
    case 'ratio':
      return `${fourDigits(twoDigits(value) * 100)}%`;
    case 'seconds':
      return durationText(wholeNumber(value));
    case 'bytes':
      return bytesText(twoDigits(value));
    case 'timestamp':
      return `${new Date(value * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    default:
      return String(wholeNumber(value));
  }
};

/** Rounds to a whole number, and half to even, as `printf` in Prometheus does. */
const wholeNumber = (value: number): number =>
  Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);

/** Rounds to two significant digits, and half to even, as `printf` in Prometheus does. */
const twoDigits = (value: number): number => {
  const [, firstDigits = '', isTie] = /^(-?\d\.\d)(50*e)?/.exec(value.toExponential(100)) ?? [];
  const [, exponent = ''] = value.toExponential().split('e');
  const isKept = isTie !== undefined && Number(firstDigits.at(-1)) % 2 === 0;
  return Number(isKept ? `${firstDigits}e${exponent}` : value.toPrecision(2));
};

/** Removes the errors of a multiplication, as `humanize` in Prometheus does. */
const fourDigits = (value: number): number => Number(value.toPrecision(4));

const DECIMAL_PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

const bytesText = (bytes: number): string => {
  let [value, power] = [bytes, 0];
  for (; Math.abs(value) >= 1_000 && power < DECIMAL_PREFIXES.length - 1; power += 1) value /= 1_000;
  return `${fourDigits(value)} ${DECIMAL_PREFIXES[power]}B`;
};

/** Returns the two largest units, without zeros: `1d 16h`, `11m`. */
const durationText = (seconds: number): string => {
  if (seconds < 0) return `-${durationText(-seconds)}`;
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
};
