// Finds the active alerts of a request for explanations, page by page, or says that none has the requested subject.

import { editDistance } from '../../config/closest-match.ts';
import { insertionIndex } from '../../lib/sorted.ts';
import { yieldEvery } from '../../lib/steps.ts';
import type { StoredAlert } from '../../store/alert-store.ts';
import type { InactiveAlert } from '../../store/notice.ts';
import type { Alert } from '../alert.ts';

type Subjects = ReadonlyMap<string, StoredAlert>;
export type IsMatching = (alert: Pick<StoredAlert, 'labels'>) => boolean;

/** After this many alerts, only the first of those found so far are kept. */
const MAX_FOUND = 1_000;

/** Returns up to `limit` keys of matching alerts that are greater than `after`, in order; null starts at the first. */
export const matchingKeys = async (
  subjects: Subjects,
  isMatching: IsMatching,
  after: string | null,
  limit: number,
): Promise<string[]> => {
  let [found, chunk]: [string[], string[]] = [[], []];
  const yieldTurn = yieldEvery();
  for (const [key, alert] of subjects) {
    if (isMatching(alert)) chunk.push(key);
    if (chunk.length >= MAX_FOUND) {
      found = firstAfter(new Set([...found, ...chunk]), after ?? '', limit);
      chunk = [];
    }
    await yieldTurn();
  }
  // An alert that ends and begins again meanwhile is found twice.
  return firstAfter(new Set([...found, ...chunk]), after ?? '', limit);
};

export const countMatching = async (subjects: Subjects, isMatching: IsMatching): Promise<number> => {
  const yieldTurn = yieldEvery();
  let count = 0;
  for (const alert of subjects.values()) {
    if (isMatching(alert)) count += 1;
    await yieldTurn();
  }
  return count;
};

const MAX_SHOWN = 3;

/** Returns what is wrong with a subject that no active alert has; null if it may be the subject of an inactive alert. */
export const subjectMistake = ({ name, labels }: Alert, subject: string | null): string | null => {
  if (subject === null) return null;
  if (labels.length === 0) return `subject: ${name} has no subjects. Leave the subject out`;
  const label = subject.match(/^([a-z_]+)=/)?.[1];
  if (label === undefined || labels.includes(label)) return null;
  const own = labels.length === 1 ? 'its label is' : 'its labels are';
  return `subject: ${name} has no label "${label}"; ${own} ${labels.join(', ')}`;
};

/** Says that the subject may be misspelt, if its condition does not hold. `active` are the alert's active subjects. */
export const withOtherSubjects = async (
  inactive: InactiveAlert,
  { labels }: Alert,
  subject: string,
  active: Iterable<Pick<StoredAlert, 'labels'>>,
): Promise<InactiveAlert> => {
  if (inactive.status !== 'condition_false') return inactive;
  const separator = subject.indexOf('=');
  const isNamed = labels.includes(subject.slice(0, Math.max(0, separator)));
  const [label = '', value] = isNamed
    ? [subject.slice(0, separator), subject.slice(separator + 1)]
    : [labels[0], subject];
  const { shown, count } = await nearestOf(active, label, value);
  if (count === 0)
    return { ...inactive, text: `${inactive.text}. proxywatch does not check whether the subject exists` };
  const more = count > shown.length ? ` and ${(count - shown.length).toLocaleString('en')} more` : '';
  const text = `no pending or firing alert has the subject "${subject}". Subjects that are active now: ${shown.join(', ')}${more}`;
  return { ...inactive, text };
};

/** Returns the values of the label that are closest to `value`, and the number of all values. */
const nearestOf = async (active: Iterable<Pick<StoredAlert, 'labels'>>, label: string, value: string) => {
  const yieldTurn = yieldEvery();
  const seen = new Set<string>();
  let nearest: { readonly name: string; readonly distance: number }[] = [];
  for (const { labels } of active) {
    await yieldTurn();
    const name = labels[label];
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    nearest = [...nearest, { name, distance: distanceOf(name, value) }]
      .toSorted((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
      .slice(0, MAX_SHOWN);
  }
  return { shown: nearest.map(({ name }) => name), count: seen.size };
};

/** A name that contains the value is the nearest. Case does not matter. */
const distanceOf = (name: string, value: string): number => {
  const [own, wanted] = [name.toLowerCase(), value.toLowerCase()];
  return own.includes(wanted) ? 0 : editDistance(wanted, own);
};

/** Returns the `limit` smallest keys greater than `after`, ordered by UTF-16 code units. */
const firstAfter = (keys: Iterable<string>, after: string, limit: number): string[] => {
  const found: string[] = [];
  for (const key of keys) {
    const last = found.at(-1);
    const isBeyond = found.length >= limit && (last === undefined || key >= last);
    if (key <= after || isBeyond) continue;
    found.splice(insertionIndex(key, found), 0, key);
    if (found.length > limit) found.pop();
  }
  return found;
};
