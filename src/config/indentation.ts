// Explains a wrong indentation at its own line. The parser reports a line that is indented too far at the value before it.

import type { YAMLError } from 'yaml';
import type { Position } from './config-node.ts';

interface Line {
  /** From 1. */
  readonly number: number;
  /** Number of spaces before the text. */
  readonly indent: number;
  /** The columns (from 0) of the dashes and of the key, as far as the line has them. */
  readonly dashes: readonly number[];
  readonly key: number | undefined;
}

/** The columns at which list items and keys of the maps and lists that are not closed yet begin. */
interface Levels {
  readonly dashes: readonly number[];
  readonly keys: readonly number[];
}

/** Explains an error that the parser reports at a position; undefined if it has another cause. */
type Explain = (error: YAMLError, at: Position) => (Position & { readonly message: string }) | undefined;

/** Returns a function for the errors of one text, which reads the text once, and only if there is an error. */
export const indentationIn = (text: string): Explain => {
  let lines: readonly (Line & { readonly above: Levels })[] | undefined;
  return ({ code, message }, { line: at }) => {
    if (!isAtValue(code) && !isAtLine(code, message)) return undefined;
    lines ??= withLevels(contentLines(text));
    const index = firstFrom(lines, at);
    const line = lines[isAtValue(code) ? index + 1 : index];
    if (!line || (isAtValue(code) && !isBelowValue(lines[index], line))) return undefined;
    return describe(line, line.above);
  };
};

/** The parser takes the line below as a part of the value, and then finds a second colon. */
const isAtValue = (code: YAMLError['code']): boolean =>
  code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'MULTILINE_IMPLICIT_KEY';

/** The parser may report a comment above the line. An open bracket is an error of the same kind, with another message. */
const isAtLine = (code: YAMLError['code'], message: string): boolean =>
  (code === 'BAD_INDENT' && message.startsWith('All ')) ||
  (code === 'MISSING_CHAR' && message.startsWith('Sequence item'));

const isBelowValue = (value: Line | undefined, below: Line): boolean =>
  value?.key !== undefined && below.key !== undefined && below.indent > value.key;

/** Returns the index of the first line at or below the line of this number. Numbers rise. */
const firstFrom = (lines: readonly Line[], number: number): number => {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.number ?? number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
};

const describe = ({ number, indent, dashes }: Line, above: Levels) => {
  const isItem = dashes.length > 0;
  const levels = above[isItem ? 'dashes' : 'keys'].filter((level) => level !== indent);
  if (levels.length === 0) return undefined;
  const found = `this line begins after ${indent} space${indent === 1 ? '' : 's'}`;
  const expected = `${isItem ? 'list items' : 'keys'} that it can belong to begin after ${joined(levels)}`;
  return { line: number, column: indent + 1, message: `wrong indentation: ${found}, but the ${expected}` };
};

const joined = (levels: readonly number[]): string =>
  [levels.slice(0, -1).join(', '), String(levels.at(-1))].filter(Boolean).join(' or ');

const withLevels = (lines: readonly Line[]) => {
  let levels: Levels = { dashes: [], keys: [] };
  return lines.map((line) => {
    const above = levels;
    levels = levelsAfter(line, above);
    return { ...line, above };
  });
};

const levelsAfter = ({ indent, dashes, key }: Line, above: Levels): Levels => {
  const isItem = dashes.length > 0;
  // A line with a wrong indentation has no level of its own.
  if (!isItem && !above.keys.includes(indent) && above.keys.some((level) => level > indent)) return above;
  return {
    dashes: [...above.dashes.filter((level) => level < indent), ...dashes],
    // A list may begin at the column of its key.
    keys: [
      ...above.keys.filter((level) => (isItem ? level <= indent : level < indent)),
      ...(key === undefined ? [] : [key]),
    ],
  };
};

const KEY = /^(?:"[^"]*"|'[^']*'|[^\s#"'[{][^:]*):(?:\s|$)/;

const contentLines = (text: string): Line[] =>
  text.split(/\r?\n/).flatMap((written, index) => {
    const indent = written.search(/[^ ]/);
    if (indent < 0 || written[indent] === '#') return [];
    const [dashed = ''] = /^(?:- +)*/.exec(written.slice(indent)) ?? [];
    const dashes = [...dashed.matchAll(/-/g)].map((dash) => indent + dash.index);
    const key = indent + dashed.length;
    return [{ number: index + 1, indent, dashes, key: KEY.test(written.slice(key)) ? key : undefined }];
  });
