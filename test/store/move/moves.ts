// Lists how rows move, by the tables of which rows move with an account.

import type { Move } from '../../../src/store/sqlite/table.ts';
import { TABLES } from '../../../src/store/sqlite/tables.ts';

export const MOVES: Readonly<Record<string, Move>> = Object.fromEntries(
  TABLES.flatMap(([name, { move }]) => (typeof move === 'string' ? [] : [[name, move]])),
);
