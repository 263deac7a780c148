// Builds schemas of values that other exporters read with Go's YAML parser, from the text in the file.

import { parsedText } from '../../config/parsed-text.ts';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;

/** Schema of a boolean of YAML 1.1. */
export const yamlBoolean = () =>
  parsedText('true or false', (text) => (FALSE.test(text) ? false : TRUE.test(text) || undefined));

/** Schema of a whole number from 0. */
export const yamlInteger = () =>
  parsedText('a whole number from 0', (text) => {
    const value = /^\+?\d+$/.test(text) ? Number(text) : Number.NaN;
    return Number.isSafeInteger(value) ? value : undefined;
  });

export interface GoDuration {
  readonly ms: number;
  /** Whether it was written without a unit, which Go reads as nanoseconds. */
  readonly isPlainNumber: boolean;
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = new RegExp(`^\\+?(?:${PART.source})+$`);

/** Schema of a duration from 0 in Go's notation, such as 500ms, 1.5s or 1h30m. */
export const goDuration = () => parsedText('a duration such as 500ms, 1s or 1h30m', parseGoDuration);

const parseGoDuration = (text: string): GoDuration | undefined => {
  if (/^\+?\d+$/.test(text)) return { ms: Number(text) * 1e-6, isPlainNumber: true };
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(PART)];
  const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
  return { ms, isPlainNumber: false };
};
