// Finds what needs a person, one cause for several alerts: from the alerts, and from verdicts for which no alert is active.

import type { Service } from '../answers.ts';
import type { Level } from '../components.ts';
import { CAUSE_IDS, type CauseId, causeOf } from './alert-words.ts';
import { levelOf } from './alerts.ts';
import { isMeetable, isUrgentEnd } from './market.ts';
import { groupsOf, type OverviewData, type Sign, servicesOf, verdicts } from './signs.ts';

export interface Cause {
  readonly id: CauseId;
  /** Silenced causes need nobody, and pending ones not yet. */
  readonly state: 'firing' | 'silenced' | 'pending';
  readonly level: Level;
  readonly signs: readonly Sign[];
  /** The first end of a service that has the problem; null if there is none. */
  readonly deadline: string | null;
}

/** Returns the causes, the most urgent first. */
export const causesOf = (data: OverviewData, now: number): Cause[] => {
  const groups = groupsOf(data.alerts).map(
    (group): Sign => ({ ...group, group, receivers: group.receivers }),
  );
  const alerted = new Set(groups.map(({ alert }) => alert));
  const signs = [...groups, ...verdicts(data).filter(({ alert }) => !alerted.has(alert))].sort(
    (one, other) => placeOf(causeOf(one.alert)) - placeOf(causeOf(other.alert)),
  );
  const areForbidden = signs.some(({ alert }) => causeOf(alert) === 'rights');
  const idOf = (sign: Sign): CauseId =>
    areForbidden && isForbidden(sign, data) ? 'rights' : causeOf(sign.alert);
  const causes = Map.groupBy(signs, (sign) => `${idOf(sign)} ${stateOf(sign)}`).values();
  return [...causes].flatMap((each) => causeOfSigns(each, idOf, data, now)).sort(byUrgency);
};

const FORBIDDEN: readonly (string | undefined)[] = ['auth', 'forbidden'];

/** Whether the sign reports only collectors whose requests the provider forbids. */
const isForbidden = ({ alert, count, examples }: Sign, { collectors = [] }: OverviewData): boolean =>
  causeOf(alert) === 'collectors' &&
  collectors !== 'unknown' &&
  examples.length === count &&
  examples.every(({ labels }) =>
    FORBIDDEN.includes(collectors.find(({ name }) => name === labels.collector)?.error?.kind),
  );

const stateOf = ({ state, silenced_until: silenced }: Sign): Cause['state'] => {
  if (state === 'pending') return 'pending';
  return silenced === null ? 'firing' : 'silenced';
};

const causeOfSigns = (
  signs: readonly Sign[],
  idOf: (sign: Sign) => CauseId,
  data: OverviewData,
  now: number,
): Cause[] => {
  const [first] = signs;
  if (!first) return [];
  const [id, state] = [idOf(first), stateOf(first)];
  const services =
    id === 'services' ? servicesOf(data).filter(({ expires_at: at }) => isMeetable(at, now)) : [];
  const deadline = deadlineOf(signs, services);
  // A notice, such as of a planned cancellation, does not become urgent.
  const problems = signs.filter(({ severity }) => severity !== 'info');
  const isUrgent = isUrgentEnd(deadlineOf(problems, services), now);
  const level = state === 'firing' ? levelOf(signs.map(({ severity }) => severity)) : 'none';
  return [{ id, state, level: state === 'firing' && isUrgent ? 'bad' : level, signs, deadline }];
};

const placeOf = (id: CauseId): number => CAUSE_IDS.indexOf(id);

const STATES = ['firing', 'pending', 'silenced'] as const;
const LEVELS = ['bad', 'fair', 'none', 'good'] as const;

const byUrgency = (one: Cause, other: Cause): number =>
  STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
  LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level) ||
  Number(other.deadline !== null) - Number(one.deadline !== null) ||
  placeOf(one.id) - placeOf(other.id);

const deadlineOf = (signs: readonly Sign[], services: readonly Service[]): string | null => {
  const ids = new Set(signs.flatMap(({ examples }) => examples.map(({ labels }) => labels.service_id)));
  const ends = services.flatMap(({ service_id: id, expires_at: at }) => (ids.has(id) && at ? [at] : []));
  return ends.sort((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
};
