// Says which bytes belong to which host name after the provider has summarised rows of several names as one.

/** Bytes, requests, charged bytes and charged requests; null if the provider never gave the number. */
export type UseValues = readonly (number | null)[];

/** A row of a day's use by a proxy user in a network. */
export interface NamedUse {
  /** Empty if the provider has dropped it. */
  readonly hostname: string;
  /** What is counted under the name; null for a new row. */
  readonly counted: UseValues | null;
  /** The part of `counted` now listed under a wider name; negative for a wider name: what it lists but other rows keep. */
  readonly moved: UseValues;
  /** The newest answer; null if the newest listing lacks the row. */
  readonly answered: UseValues | null;
  /** Whether the listing before had the row, and how many listings in a row have lacked it since. */
  readonly wasListed: boolean;
  readonly misses: number;
}

export interface SettledUse extends Pick<NamedUse, 'hostname' | 'misses'> {
  readonly counted: UseValues;
  readonly moved: UseValues;
  readonly isListed: boolean;
  /** Whether nothing is left of the row, because the provider took it back. */
  readonly isRemoved: boolean;
}

/** A row is taken back when this many complete listings in a row lack it and no wider name has its bytes. */
const MISSES_UNTIL_REMOVED = 2;

/** Whether the name stands for several ones, or for all. */
export const isWide = (hostname: string): boolean => hostname === '' || hostname.startsWith('*.');

/**
 * Settles the rows of one day, user and network after a complete listing. A row that is missing while a wider name has at least
 * its bytes was summarised under that name: it keeps its bytes, and the wider name has the rest. Whatever happens to names, the
 * sum of all counted values is the sum of the answered ones, but for rows that one listing lacks.
 */
export const settleNames = (rows: readonly NamedUse[]): SettledUse[] => {
  const state = rows.map(stateOf);
  const wide: WideNames = new Map(
    state.filter(({ own, row }) => own && isWide(row.hostname)).map((each) => [each.row.hostname, each]),
  );
  for (const each of state) placeKept(each, wide);
  for (const each of state) releaseListed(each);
  for (const each of state)
    if (isShrunk(each)) moveInto(coverOf(each, wide, hasGrownBy(each.before)), each, each.before);
  const hasShrunk = !hasMost(
    sumOf(state, listedOf),
    sumOf(state, ({ before }) => before),
    1,
  );
  for (const each of state) if (each.isMissing) settleMissing(each, { state, wide, hasShrunk });
  return state.map(settledOf);
};

interface State {
  readonly row: NamedUse;
  /** What the provider lists under the name; null if it lists nothing. */
  own: UseValues | null;
  /** What it listed before. */
  readonly before: UseValues;
  kept: UseValues;
  /** The wider name that lists what is kept. */
  cover?: State | undefined;
  /** What rows of other names keep of `own`. */
  given: UseValues;
  /** By how much a wider name has grown, without what was found to have moved into it. */
  grown: UseValues;
  /** Whether the listing lacks the row although the one before had it. */
  isMissing: boolean;
  misses: number;
}

type WideNames = ReadonlyMap<string, State>;

const NOTHING: UseValues = [0, 0, 0, 0];
/** A row was summarised under a wider name if that has this part of its bytes. The rest was corrected meanwhile. */
const MOVED_PART = 0.9;

/** A missing row counts as listed until it is settled. */
const stateOf = (row: NamedUse): State => {
  const isMissing = row.answered === null && row.wasListed;
  const before = row.wasListed && row.counted ? subtracted(row.counted, row.moved) : NOTHING;
  const isCover = isWide(row.hostname) && (row.answered !== null || row.wasListed);
  return {
    row,
    own: row.answered ?? (isMissing ? before : null),
    before,
    kept: isCover ? NOTHING : row.moved,
    given: NOTHING,
    grown: subtracted(row.answered ?? before, before),
    isMissing,
    misses: isMissing ? row.misses + 1 : 0,
  };
};

/** Returns the narrowest wider name that is listed and accepted, or that is missing but not settled. */
const coverOf = (
  { row: { hostname } }: State,
  wide: WideNames,
  isAccepted: (cover: State) => boolean = () => true,
): State | undefined =>
  widerNames(hostname)
    .map((name) => wide.get(name))
    .find((cover) => cover !== undefined && cover.own !== null && isAccepted(cover));

/** Returns the wider names that cover a name, the narrowest first. */
const widerNames = (hostname: string): string[] => {
  if (hostname === '') return [];
  const labels = hostname.replace(/^\*\./, '').split('.');
  return [...labels.keys()]
    .map((from) => `*.${labels.slice(from).join('.')}`)
    .filter((name) => name !== hostname)
    .concat('');
};

const hasAny = (values: UseValues): boolean => values.some((value) => value);

const roomIn = ({ own, given }: State): UseValues => subtracted(own ?? NOTHING, given);

/** Whether the values have most of the bytes, and of the charged bytes. */
const hasMost = (values: UseValues, of: UseValues, part = MOVED_PART): boolean =>
  [0, 2].every((index) => (values[index] ?? 0) >= part * (of[index] ?? 0));

const listedOf = ({ row }: State): UseValues => row.answered ?? NOTHING;
const sumOf = (state: readonly State[], valuesOf: (each: State) => UseValues): UseValues =>
  state.reduce((sum, each) => added(sum, valuesOf(each)), NOTHING);

const hasGrownBy =
  (values: UseValues) =>
  (cover: State): boolean =>
    !cover.isMissing && hasMost(cover.grown, values) && hasMost(roomIn(cover), values);

/** Finds the wider name that lists what a row keeps. Without one, the row keeps nothing. */
const placeKept = (row: State, wide: WideNames): void => {
  if (!hasAny(row.kept)) return;
  row.cover = coverOf(row, wide, (cover) => hasMost(roomIn(cover), row.kept)) ?? coverOf(row, wide);
  if (row.cover) row.cover.given = added(row.cover.given, row.kept);
  else row.kept = NOTHING;
};

/**
 * If a wider name lists less than its rows keep, a name that is listed again is no longer in it. A small difference is a
 * correction of the wider name instead.
 */
const releaseListed = (row: State): void => {
  const { cover, own, kept } = row;
  if (!cover || own === null) return;
  const lackingBytes = (cover.given[0] ?? 0) - (cover.own?.[0] ?? 0);
  if (lackingBytes * 2 <= (kept[0] ?? 0)) return;
  cover.given = subtracted(cover.given, kept);
  [row.kept, row.cover] = [NOTHING, undefined];
};

/** A row that lists less than half of before may have been summarised and used again since. Less is a correction. */
const isShrunk = ({ row, own, before, isMissing }: State): boolean =>
  !isMissing && own !== null && !isWide(row.hostname) && (own[0] ?? 0) * 2 < (before[0] ?? 0);

/** The row keeps what the wider name has of its values. */
const moveInto = (cover: State | undefined, row: State, values: UseValues): void => {
  if (!cover) return;
  const room = roomIn(cover);
  const part = values.map((value, index) => Math.max(0, Math.min(value ?? 0, room[index] ?? 0)));
  cover.given = added(cover.given, part);
  cover.grown = subtracted(cover.grown, part);
  row.kept = added(row.kept, subtracted(part, row.given));
};

interface Group {
  readonly state: readonly State[];
  readonly wide: WideNames;
  /** Whether all listed rows together have less than before. */
  readonly hasShrunk: boolean;
}

/**
 * A row that is missing once may come back, if the listing has less for it. Otherwise its bytes are listed under other names. A
 * wider name that has not grown can only have taken it in if another listing lacks it too.
 */
const settleMissing = (missing: State, { state, wide, hasShrunk }: Group): void => {
  const own = missing.own ?? NOTHING;
  const isLastMiss = missing.misses >= MISSES_UNTIL_REMOVED;
  const cover =
    coverOf(missing, wide, hasGrownBy(own)) ??
    (isLastMiss
      ? coverOf(missing, wide, (each) => !each.isMissing && hasMost(roomIn(each), own))
      : undefined);
  if (!cover && !isLastMiss && hasShrunk) return;
  if (cover) moveInto(cover, missing, own);
  else for (const each of state) if (each.cover === missing) each.kept = NOTHING;
  [missing.own, missing.given, missing.misses] = [null, NOTHING, 0];
};

const settledOf = ({ row, own, kept, given, misses }: State): SettledUse => {
  const moved = subtracted(kept, given);
  const counted =
    own === null
      ? (row.counted ?? NOTHING).map((value, i) => (value === null ? null : (moved[i] ?? 0)))
      : added(own, moved);
  const isRemoved = own === null && !hasAny(kept);
  return { hostname: row.hostname, counted, moved, isListed: own !== null, misses, isRemoved };
};

/** A number that was never given stays unknown, unless something is added to it. */
const added = (values: UseValues, more: UseValues): UseValues =>
  values.map((value, index) => (value === null && !more[index] ? null : (value ?? 0) + (more[index] ?? 0)));

const subtracted = (values: UseValues, less: UseValues): UseValues =>
  values.map((value, index) => (value === null && !less[index] ? null : (value ?? 0) - (less[index] ?? 0)));
