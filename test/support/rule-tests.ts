// Writes the descriptions of alerts into promtool's tests of the rules, which must repeat all annotations.

import type { Alert } from '../../src/alerts/alert.ts';
import { descriptionOf } from '../../src/alerts/annotations.ts';

/** Matches the description among the expected annotations, with its indentation. */
const DESCRIPTIONS = /^( +)description: \|-\n(?:\1 +.*\n)*/gm;

/** Returns the test file with the current description of each alert. */
export const withDescriptions = (file: string, alerts: readonly Alert[]): string => {
  const known = new Map(alerts.map((alert) => [alert.name, descriptionOf(alert)]));
  return file.replaceAll(DESCRIPTIONS, (_, indent: string, offset: number) => {
    const [, name = ''] = [...file.slice(0, offset).matchAll(/alertname: (\w+)/g)].at(-1) ?? [];
    const lines = (known.get(name) ?? '').split('\n').map((line) => `${indent}  ${line}\n`);
    return `${indent}description: |-\n${lines.join('')}`;
  });
};
