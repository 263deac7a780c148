// The schema as the steps that lead to it; `user_version` is the number of steps taken.

import { FIRST } from './first.ts';
import { WEEK_RHYTHM } from './week-rhythm.ts';

/** In the order they were made: a step that has been released is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST, WEEK_RHYTHM];
