// Recognizes rows of a listing whose bytes have not changed since they were stored, before their JSON is parsed.

import { hash } from 'node:crypto';

/** Stands for a row that has not changed, in the place of its JSON. It has only the id, under the provider's name. */
export class UnchangedRow {
  constructor(idField: string, id: string) {
    Object.assign(this, { [idField]: id });
  }
}

/** Where a row begins and ends in the text of an answer. */
type Span = readonly [start: number, end: number];

interface FoundRow {
  readonly id: string;
  /** The SHA-256 of the row's bytes. */
  readonly digest: string;
  readonly isKnown: boolean;
}

/**
 * Knows the rows of one listing by their ids and bytes, so a row with an unknown field or another order of keys is a
 * changed one. A row is known only as long as reading it again would change nothing.
 */
export class KnownRows {
  readonly #idField: string;
  readonly #idKey: Buffer;
  readonly #digests = new Map<string, string>();
  /** The rows that were parsed since the last call of `stored`. */
  readonly #read = new Map<string, string>();

  constructor(idField: string) {
    this.#idField = idField;
    this.#idKey = Buffer.from(`"${idField}"`);
  }

  /** Parses an answer without its known rows, for which `data` has an `UnchangedRow`. Returns undefined if `parse` does. */
  parse(text: Buffer, spans: readonly Span[], parse: (text: string) => unknown): unknown {
    if (spans.length > MAX_ROWS) return parse(text.toString('utf8'));
    const found = spans.map((span) => this.#find(text, span));
    const isKnown = (index: number): boolean => found[index]?.isKnown === true;
    const json = parse(withPlaces(text, spans, isKnown));
    const { data } = (json ?? {}) as { readonly data?: unknown };
    const isListed = (list: readonly unknown[]): boolean =>
      list.length === spans.length && list.every((item, index) => !isKnown(index) || item === index);
    if (!Array.isArray(data) || !isListed(data)) return this.#parseWhole(text, found, parse);
    for (const [index, row] of found.entries()) {
      if (row?.isKnown) data[index] = new UnchangedRow(this.#idField, row.id);
      // Equal bytes have equal ids, so only a row whose id was found in its bytes can be recognized.
      else if (row && data[index]?.[this.#idField] === row.id) this.#read.set(row.id, row.digest);
    }
    return json;
  }

  /** Forgets the rows too, so that such an answer is parsed once from then on. */
  #parseWhole(
    text: Buffer,
    found: readonly (FoundRow | undefined)[],
    parse: (text: string) => unknown,
  ): unknown {
    for (const row of found) if (row) this.exclude(row.id);
    return parse(text.toString('utf8'));
  }

  /** Keeps a row from becoming known, because it has to be decoded each time. */
  exclude(id: string): void {
    this.#read.delete(id);
    this.#digests.delete(id);
  }

  /** Of the rows that were parsed since the last call, knows those with these ids, and forgets the others. */
  stored(settledIds: readonly string[]): void {
    const settled = new Set(settledIds);
    for (const [id, digest] of this.#read) {
      if (settled.has(id)) this.#digests.set(id, digest);
      else this.#digests.delete(id);
    }
    this.#read.clear();
  }

  /** Forgets all rows with other ids. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#digests.keys()) if (!ids.has(id)) this.#digests.delete(id);
  }

  #find(text: Buffer, [start, end]: Span): FoundRow | undefined {
    const id = this.#idIn(text.subarray(start, end));
    if (id === undefined) return undefined;
    const digest = hash('sha256', text.subarray(start, end), 'binary');
    return { id, digest, isKnown: this.#digests.get(id) === digest };
  }

  #idIn(row: Buffer): string | undefined {
    const key = row.indexOf(this.#idKey);
    if (key === -1) return undefined;
    const end = key + this.#idKey.length;
    const id = ID_VALUE.exec(row.toString('latin1', end, end + MAX_ID_LENGTH))?.[1];
    // A copy, because the match would keep the whole text that it was found in.
    return id && Buffer.from(id, 'latin1').toString('latin1');
  }
}

/** A longer id, and one with other characters than those of ASCII, is not recognized. */
const MAX_ID_LENGTH = 200;
const ID_VALUE = /^\s*:\s*"([ !#-[\]-~]+)"/;

/** More than twice the longest page. A wrong answer may have more rows, which would take too long. */
const MAX_ROWS = 250;

/** Returns the text with the index of each known row in its place. Blanks keep it apart from what is beside it. */
const withPlaces = (text: Buffer, spans: readonly Span[], isKnown: (index: number) => boolean): string => {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [index, [start, end]] of spans.entries()) {
    if (!isKnown(index)) continue;
    parts.push(text.subarray(from, start), Buffer.from(` ${index} `));
    from = end;
  }
  return Buffer.concat([...parts, text.subarray(from)]).toString('utf8');
};
